"""What scripts with pyVmomi do at a host manager, the library as it is. Prints what it saw."""

import json
import sys
from datetime import timedelta

from pyVim.connect import Disconnect, SmartConnect
from pyVim.task import WaitForTask
from pyVmomi import vim, vmodl


def login(port):
    return SmartConnect(
        protocol="http", host="127.0.0.1", port=port, user="admin", pwd="secret"
    )


def names(entities):
    return sorted(entity.name for entity in entities)


def fault_of(call):
    try:
        call()
    except vmodl.MethodFault as fault:
        return type(fault).__name__
    return None


def view_of(content, kind):
    view = content.viewManager.CreateContainerView(content.rootFolder, [kind], True)
    try:
        return list(view.view)
    finally:
        view.Destroy()


def read(si):
    """Properties as members, each of them a call of its own."""
    content = si.content
    [datacenter] = content.rootFolder.childEntity
    web = content.searchIndex.FindByInventoryPath("dc/vm/shop/front/web")
    path = []
    entity = web
    while entity is not None:
        path.insert(0, entity.name)
        entity = entity.parent
    filter_spec = vmodl.query.PropertyCollector.FilterSpec(
        objectSet=[
            vmodl.query.PropertyCollector.ObjectSpec(obj=each)
            for each in view_of(content, vim.VirtualMachine)
        ],
        propSet=[
            vmodl.query.PropertyCollector.PropertySpec(type=vim.VirtualMachine, pathSet=["name"])
        ],
    )
    pages = []
    page = content.propertyCollector.RetrievePropertiesEx(
        [filter_spec], vmodl.query.PropertyCollector.RetrieveOptions(maxObjects=1)
    )
    while page is not None:
        pages.append([each.propSet[0].val for each in page.objects])
        page = page.token and content.propertyCollector.ContinueRetrievePropertiesEx(page.token)
    return {
        "version": si._stub.versionId,
        "api": content.about.apiVersion,
        "path": path,
        "vApp": web.parentVApp,
        "power": web.runtime.powerState,
        "host": web.runtime.host.name,
        "datastores": names(web.datastore),
        "nested": web.config.nestedHVEnabled,
        "disks": [
            [device.deviceInfo.label, device.capacityInKB, device.backing.eagerlyScrub]
            for device in web.config.hardware.device
            if isinstance(device, vim.vm.device.VirtualDisk)
        ],
        "canNest": [host.capability.nestedHVSupported for host in view_of(content, vim.HostSystem)],
        "folders": names(datacenter.vmFolder.childEntity),
        "pages": sorted(pages),
        "byUuid": content.searchIndex.FindByUuid(None, web.config.uuid, True).name,
        "unknown": fault_of(lambda: web.resourceConfig),
    }


def change(si):
    """Power, nested virtualization, growth, relocation: each task followed by a filter."""
    index = si.content.searchIndex
    db = index.FindByInventoryPath("dc/vm/db")
    seen = {"off": fault_of(lambda: WaitForTask(db.PowerOff()))}
    WaitForTask(db.Reconfigure(vim.vm.ConfigSpec(nestedHVEnabled=True)))
    seen["nested"] = db.config.nestedHVEnabled
    [disk] = [d for d in db.config.hardware.device if isinstance(d, vim.vm.device.VirtualDisk)]
    disk.capacityInKB *= 2
    disk.capacityInBytes = disk.capacityInKB * 1024
    edit = vim.vm.device.VirtualDeviceSpec(operation="edit", device=disk)
    WaitForTask(db.Reconfigure(vim.vm.ConfigSpec(deviceChange=[edit])))
    disk.capacityInKB //= 4
    disk.capacityInBytes = disk.capacityInKB * 1024
    edit = vim.vm.device.VirtualDeviceSpec(operation="edit", device=disk)
    seen["shrink"] = fault_of(
        lambda: WaitForTask(db.Reconfigure(vim.vm.ConfigSpec(deviceChange=[edit])))
    )
    [disk] = [d for d in db.config.hardware.device if isinstance(d, vim.vm.device.VirtualDisk)]
    seen["grownKb"] = disk.capacityInKB
    target = index.FindByInventoryPath("dc/datastore/ds2")
    WaitForTask(db.Relocate(vim.vm.RelocateSpec(datastore=target)))
    seen["datastores"] = names(db.datastore)
    WaitForTask(db.PowerOn())
    seen["on"] = db.runtime.powerState
    WaitForTask(db.PowerOff())
    seen["power"] = db.runtime.powerState
    seen["tasks"] = [task.info.descriptionId for task in si.content.taskManager.recentTask]
    return seen


def alarms(si, port):
    """An alarm on a login, which a second session sets off."""
    content = si.content
    manager = content.alarmManager
    expression = vim.alarm.EventAlarmExpression(
        comparisons=[
            vim.alarm.EventAlarmExpression.Comparison(
                attributeName="userName", operator="equals", value="LAB.LOCAL\\admin"
            )
        ],
        eventType=vim.event.UserLoginSessionEvent,
        objectType=vim.HostSystem,
        status="red",
    )
    spec = vim.alarm.AlarmSpec(name="a", description="d", enabled=True, expression=expression)
    alarm = manager.CreateAlarm(content.rootFolder, spec)

    def state():
        [found] = [s for s in manager.GetAlarmState(content.rootFolder) if s.alarm == alarm]
        return found.overallStatus

    seen = {"name": alarm.info.name, "before": state()}
    seen["again"] = fault_of(lambda: manager.CreateAlarm(content.rootFolder, spec))
    Disconnect(login(port))
    seen["after"] = state()
    triggered = content.rootFolder.triggeredAlarmState
    seen["triggered"] = [each.alarm.info.name for each in triggered]
    hour_ago = si.CurrentTime() - timedelta(hours=1)
    filter_spec = vim.event.EventFilterSpec(
        time=vim.event.EventFilterSpec.ByTime(beginTime=hour_ago),
        eventTypeId=["vim.event.UserLoginSessionEvent"],
    )
    events = content.eventManager.QueryEvents(filter_spec)
    seen["events"] = [[type(each).__name__, each.userName] for each in events]
    alarm.Remove()
    seen["removed"] = fault_of(lambda: alarm.info)
    return seen


def watch(si):
    """A collector of its own, a list view, a wait that is over without news."""
    content = si.content
    index = content.searchIndex
    web = index.FindByInventoryPath("dc/vm/shop/front/web")
    view = content.viewManager.CreateListView([web])
    collector = content.propertyCollector.CreatePropertyCollector()
    step = vmodl.query.PropertyCollector.TraversalSpec(
        name="v", type=vim.view.ListView, path="view", skip=False
    )
    spec = vmodl.query.PropertyCollector.FilterSpec(
        objectSet=[vmodl.query.PropertyCollector.ObjectSpec(obj=view, skip=True, selectSet=[step])],
        propSet=[
            vmodl.query.PropertyCollector.PropertySpec(
                type=vim.VirtualMachine, pathSet=["runtime.powerState"]
            )
        ],
    )
    collector.CreateFilter(spec, True)
    seen = []

    def news(update):
        if update is None:
            return None
        return [
            [each.kind, each.obj.name, [[c.name, c.val] for c in each.changeSet]]
            for part in update.filterSet
            for each in part.objectSet
        ]

    update = collector.WaitForUpdatesEx("", None)
    seen.append(news(update))
    options = vmodl.query.PropertyCollector.WaitOptions(maxWaitSeconds=1)
    seen.append(news(collector.WaitForUpdatesEx(update.version, options)))
    web.Suspend()
    update = collector.WaitForUpdatesEx(update.version, None)
    seen.append(news(update))
    view.Modify([], [web])
    update = collector.WaitForUpdatesEx(update.version, None)
    seen.append(news(update))
    seen.append(fault_of(lambda: collector.CheckForUpdates("7")))
    collector.Destroy()
    view.Destroy()
    seen.append(fault_of(lambda: view.view))
    inventory = content.viewManager.CreateInventoryView()
    seen.append(names(inventory.view))
    inventory.OpenFolder([content.rootFolder.childEntity[0]])
    seen.append(names(inventory.view))
    return seen


def main():
    port = int(sys.argv[1])
    si = login(port)
    try:
        scenes = {"read": read, "change": change, "watch": watch}
        scene = sys.argv[2]
        print(json.dumps(alarms(si, port) if scene == "alarms" else scenes[scene](si)))
    finally:
        Disconnect(si)


main()
