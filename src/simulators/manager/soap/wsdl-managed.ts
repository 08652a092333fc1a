/**
 * Managed object types of vim25 and their properties, as far as they are simulated, in the order of
 * the published schema. The notation is explained in `wsdl.ts`.
 */

export const managedTypes = `
ExtensibleManagedObject: value CustomFieldValue*; availableField CustomFieldDef*
ManagedEntity < ExtensibleManagedObject: parent @ManagedEntity?; customValue CustomFieldValue*;
  overallStatus ManagedEntityStatus; configStatus ManagedEntityStatus; effectiveRole int*;
  permission Permission*; name string; disabledMethod MethodName*; recentTask @Task*;
  declaredAlarmState AlarmState*; triggeredAlarmState AlarmState*; alarmActionsEnabled boolean?;
  tag Tag*
Folder < ManagedEntity: childType TypeName*; childEntity @ManagedEntity*
StoragePod < Folder:
Datacenter < ManagedEntity: vmFolder @Folder; hostFolder @Folder; datastoreFolder @Folder;
  networkFolder @Folder; datastore @Datastore*; network @Network*
ComputeResource < ManagedEntity: resourcePool @ResourcePool?; host @HostSystem*; datastore
  @Datastore*; network @Network*
ClusterComputeResource < ComputeResource:
Network < ManagedEntity: host @HostSystem*; vm @VirtualMachine*
DistributedVirtualPortgroup < Network: key string
OpaqueNetwork < Network:
DistributedVirtualSwitch < ManagedEntity: uuid string; portgroup @DistributedVirtualPortgroup*
VmwareDistributedVirtualSwitch < DistributedVirtualSwitch:
ResourcePool < ManagedEntity: owner @ComputeResource; resourcePool @ResourcePool*; vm
  @VirtualMachine*
VirtualApp < ResourcePool: parentFolder @Folder?; datastore @Datastore*; network @Network*;
  parentVApp @ManagedEntity?
HostSystem < ManagedEntity: runtime HostRuntimeInfo; summary HostListSummary; capability
  HostCapability?; config HostConfigInfo?; vm @VirtualMachine*; datastore @Datastore*; network
  @Network*
Datastore < ManagedEntity: info DatastoreInfo; summary DatastoreSummary; host
  DatastoreHostMount*; vm @VirtualMachine*; capability DatastoreCapability
VirtualMachine < ManagedEntity: capability VirtualMachineCapability; config
  VirtualMachineConfigInfo?; layoutEx VirtualMachineFileLayoutEx?; resourcePool @ResourcePool?;
  parentVApp @ManagedEntity?; runtime VirtualMachineRuntimeInfo; guest GuestInfo?; summary
  VirtualMachineSummary; datastore @Datastore*; network @Network*; snapshot
  VirtualMachineSnapshotInfo?; rootSnapshot @VirtualMachineSnapshot*; guestHeartbeatStatus
  ManagedEntityStatus
VirtualMachineSnapshot: childSnapshot @VirtualMachineSnapshot*; vm @VirtualMachine 6.0
Task: info TaskInfo
TaskManager: recentTask @Task*; maxCollector int
AlarmManager:
Alarm: info AlarmInfo
EventManager: latestEvent Event?; maxCollector int
SessionManager: sessionList UserSession*; currentSession UserSession?; messageLocaleList
  string*; supportedLocaleList string*; defaultLocale string
ManagedObjectView < View: view @ManagedObject*
ListView < ManagedObjectView:
InventoryView < ManagedObjectView:
ContainerView < ManagedObjectView: container @ManagedEntity; type TypeName*; recursive boolean
ViewManager: viewList @View*
View:
PropertyCollector: filter @PropertyFilter*
PropertyFilter: spec PropertyFilterSpec; partialUpdates boolean
SearchIndex:
HistoryCollector: filter anyType
TaskHistoryCollector < HistoryCollector: latestPage TaskInfo*
ServiceInstance: serverClock dateTime; content ServiceContent
`;
