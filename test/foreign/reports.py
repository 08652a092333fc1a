"""What libraries read of reports, as they are: suites of JUnit, metrics, and what a policy denies."""

import json
import re
import sys

import regopy
from junitparser import Error, Failure, JUnitXml, Skipped
from prometheus_client.parser import text_string_to_metric_families


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def junit(path):
    document = JUnitXml.fromfile(path)
    said = [document.tests, document.failures, document.errors, document.skipped]
    kinds = {"failed": Failure, "wrong": Error, "skipped": Skipped}
    cases = [case for suite in document for case in suite]
    found = {
        name: sorted(
            case.name
            for case in cases
            if any(isinstance(result, kind) for result in case.result)
        )
        for name, kind in kinds.items()
    }
    document.update_statistics()
    counted = [
        document.tests,
        document.failures,
        document.errors,
        document.skipped,
    ]
    return {"said": said, "counted": counted, **found}


def metrics(path):
    return {
        family.name: {
            "type": family.type,
            "help": family.documentation,
            "sum": sum(sample.value for sample in family.samples),
        }
        for family in text_string_to_metric_families(text(path))
    }


def policy(page, *plans):
    module = re.search(r"^```rego\n(.*?)^```", text(page), re.MULTILINE | re.DOTALL)
    interpreter = regopy.Interpreter()
    interpreter.add_module("policy", module.group(1))
    denied = []
    for plan in plans:
        interpreter.set_input(json.loads(text(plan)))
        said = json.loads(str(interpreter.query("data.main.deny")))
        denied.append(sorted(said["expressions"][0]))
    return denied


if __name__ == "__main__":
    kind, *paths = sys.argv[1:]
    if kind == "policy":
        print(json.dumps(policy(*paths)))
    else:
        read = {"junit": junit, "metrics": metrics}[kind]
        print(json.dumps([read(path) for path in paths]))
