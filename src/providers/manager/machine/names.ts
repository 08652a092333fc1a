/** Names of resource types that several files need. */

export const vmTypeName = "manager_vm";
export const diskTypeName = "manager_disk";
