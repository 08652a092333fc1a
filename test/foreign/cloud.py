"""What a script with libcloud does at a cloud, the library as it is. Prints what it saw."""

import json
import sys

from libcloud.compute.providers import get_driver
from libcloud.compute.types import Provider


def login(port, version):
    driver = get_driver(Provider.VCLOUD)
    return driver(
        "admin@shop",
        "secret",
        host="127.0.0.1",
        port=port,
        secure=False,
        api_version=version,
    )


def seen(node):
    return [
        node.name,
        node.state,
        node.extra["vdc"],
        sorted([vm["name"], vm["state"]] for vm in node.extra["vms"]),
    ]


def read(driver):
    [node] = driver.list_nodes()
    lease = node.extra["lease_settings"]
    found = driver.ex_find_node("app")
    return {
        "vdcs": [[vdc.name, vdc.allocation_model, vdc.cpu.units] for vdc in driver.vdcs],
        "node": seen(node),
        "lease": [lease.deployment_lease, lease.storage_lease],
        "same": found.id == node.id,
        "vms": sorted(vm["name"] for vm in driver.ex_query("vm")),
        "on": [vm["name"] for vm in driver.ex_query("vm", filter="status==POWERED_ON")],
        "none": driver.ex_query("vApp", filter="name==other"),
    }


def change(driver):
    """Each of them waits for its task."""
    [node] = driver.list_nodes()
    states = [seen(driver.ex_power_on_node(node))]
    states.append(seen(driver.ex_suspend_node(node)))
    states.append(seen(driver.ex_power_on_node(node)))
    states.append(seen(driver.ex_power_off_node(node)))
    states.append(driver.reboot_node(driver.ex_power_on_node(node)))
    states.append(seen(driver.ex_undeploy_node(node, shutdown=False)))
    return states


def main():
    driver = login(int(sys.argv[1]), sys.argv[3])
    print(json.dumps({"read": read, "change": change}[sys.argv[2]](driver)))


main()
