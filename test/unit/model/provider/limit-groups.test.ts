/** Which time limits the types have. */

import { expect, test } from "vitest";
import { limitGroups } from "../../../../src/model/provider/limit-groups.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";

test("each type has the limits of what is done to its objects", () => {
  const groups = Object.values(typeRegistry()).map((type) => [
    type.name,
    limitGroups(type).join(" "),
  ]);
  expect(Object.fromEntries(groups)).toEqual({
    appliance_storage: "update wait",
    cloud_snapshot: "create delete wait request",
    cloud_vm: "update power request",
    daemon_shared_folder: "create delete",
    daemon_vm: "create update delete power wait",
    manager_disk: "update request",
    manager_disk_reclaim: "update request",
    manager_login_alarm: "create update delete",
    manager_vm: "update power wait request",
    noop_resource: "create update delete",
  });
});
