/**
 * Values of the interface as data: text, numbers and flags, references to managed objects, data
 * objects that name their type, lists.
 *
 * The door of `soap`: `soap-decode.ts` and `soap-encode.ts` read and write values by the schema of
 * the interface, `wsdl.ts` (its tables are `wsdl-*.ts`); `envelope.ts` wraps them, `fault.ts`
 * makes faults.
 */

/** A reference to a managed object: its type and its id. */
export type Reference = { readonly ref: string; readonly id: string };

export type DataObject = {
  /** Name of the type. */
  readonly is: string;
  readonly [member: string]: SoapValue | undefined;
};

export type SoapValue = string | number | boolean | Reference | DataObject | readonly SoapValue[];

export function isReference(value: SoapValue | undefined): value is Reference {
  return typeof value === "object" && !Array.isArray(value) && "ref" in value;
}

export function isObject(value: SoapValue | undefined): value is DataObject {
  return typeof value === "object" && !Array.isArray(value) && "is" in value;
}

export function isList(value: SoapValue | undefined): value is readonly SoapValue[] {
  return Array.isArray(value);
}

export function refTo(type: string, id: string): Reference {
  return { ref: type, id };
}

export function isSameRef(left: Reference, right: Reference): boolean {
  return left.ref === right.ref && left.id === right.id;
}

/** Data object members as their kinds; undefined when absent or of another kind. */
export function textIn(object: DataObject | undefined, name: string): string | undefined {
  const value = object?.[name];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(object: DataObject | undefined, name: string): number | undefined {
  const value = object?.[name];
  return typeof value === "number" ? value : undefined;
}

export function flagIn(object: DataObject | undefined, name: string): boolean | undefined {
  const value = object?.[name];
  return typeof value === "boolean" ? value : undefined;
}

export function refIn(object: DataObject | undefined, name: string): Reference | undefined {
  const value = object?.[name];
  return isReference(value) ? value : undefined;
}

export function objectIn(object: DataObject | undefined, name: string): DataObject | undefined {
  const value = object?.[name];
  return isObject(value) ? value : undefined;
}

export function listIn(object: DataObject | undefined, name: string): readonly SoapValue[] {
  const value = object?.[name];
  return isList(value) ? value : [];
}

export function objectsIn(object: DataObject | undefined, name: string): readonly DataObject[] {
  return listIn(object, name).filter(isObject);
}

export function textsIn(object: DataObject | undefined, name: string): readonly string[] {
  return listIn(object, name).filter((item) => typeof item === "string");
}
