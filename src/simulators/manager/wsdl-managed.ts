/**
 * Managed object types of vim25 and their properties, as far as they are simulated, in the order of
 * the published schema. The notation is explained in `wsdl.ts`.
 */

export const managedTypes = `
ManagedEntity: parent @ManagedEntity?; overallStatus ManagedEntityStatus; configStatus
  ManagedEntityStatus; effectiveRole int*; name string; disabledMethod MethodName*; recentTask
  @Task*; declaredAlarmState AlarmState*; triggeredAlarmState AlarmState*; alarmActionsEnabled
  boolean?
Folder < ManagedEntity: childType TypeName*; childEntity @ManagedEntity*
Datacenter < ManagedEntity: vmFolder @Folder; hostFolder @Folder; datastoreFolder @Folder;
  networkFolder @Folder; datastore @Datastore*
ComputeResource < ManagedEntity: resourcePool @ResourcePool?; host @HostSystem*; datastore
  @Datastore*
ClusterComputeResource < ComputeResource:
ResourcePool < ManagedEntity: owner @ComputeResource; resourcePool @ResourcePool*; vm
  @VirtualMachine*
HostSystem < ManagedEntity: runtime HostRuntimeInfo; summary HostListSummary; capability
  HostCapability?; config HostConfigInfo?; vm @VirtualMachine*; datastore @Datastore*
Datastore < ManagedEntity: summary DatastoreSummary; host DatastoreHostMount*; vm
  @VirtualMachine*; capability DatastoreCapability
VirtualMachine < ManagedEntity: capability VirtualMachineCapability; config
  VirtualMachineConfigInfo?; layoutEx VirtualMachineFileLayoutEx?; resourcePool @ResourcePool?;
  runtime VirtualMachineRuntimeInfo; guest GuestInfo?; summary VirtualMachineSummary; datastore
  @Datastore*; snapshot VirtualMachineSnapshotInfo?; rootSnapshot @VirtualMachineSnapshot*;
  guestHeartbeatStatus ManagedEntityStatus
VirtualMachineSnapshot: childSnapshot @VirtualMachineSnapshot*; vm @VirtualMachine 6.0
Task: info TaskInfo
TaskManager: recentTask @Task*; maxCollector int
AlarmManager:
Alarm: info AlarmInfo
EventManager: latestEvent Event?; maxCollector int
SessionManager: currentSession UserSession?; messageLocaleList string*; supportedLocaleList
  string*; defaultLocale string
ManagedObjectView < View: view @ManagedObject*
ContainerView < ManagedObjectView: container @ManagedEntity; type TypeName*; recursive boolean
ViewManager: viewList @View*
View:
PropertyCollector:
SearchIndex:
HistoryCollector: filter anyType
TaskHistoryCollector < HistoryCollector: latestPage TaskInfo*
ServiceInstance: serverClock dateTime; content ServiceContent
`;
