/**
 * Data object types of vim25 that requests and faults have, in the order of the published schema:
 * members of requests must stand in this order. The notation is explained in `wsdl.ts`.
 */

export const requestTypes = `
PropertySpec: type TypeName; all boolean?; pathSet PropertyPath*
SelectionSpec: name string?
TraversalSpec < SelectionSpec: type TypeName; path PropertyPath; skip boolean?; selectSet
  SelectionSpec*
ObjectSpec: obj @ManagedObject; skip boolean?; selectSet SelectionSpec*
PropertyFilterSpec: propSet PropertySpec*; objectSet ObjectSpec*; reportMissingObjectsInResults
  boolean?
RetrieveOptions: maxObjects int?
WaitOptions: maxWaitSeconds int?; maxObjectUpdates int?
VirtualMachineRelocateSpec: service ServiceLocator? 6.0; folder @Folder? 6.0; datastore
  @Datastore?; diskMoveType string?; pool @ResourcePool?; host @HostSystem?; disk
  VirtualMachineRelocateSpecDiskLocator*; transform VirtualMachineRelocateTransformation?;
  deviceChange VirtualDeviceConfigSpec* 5.5; profile VirtualMachineProfileSpec* 5.5; cryptoSpec
  CryptoSpec? 7.0
VirtualMachineRelocateSpecDiskLocator: diskId int; datastore @Datastore; diskMoveType string?;
  diskBackingInfo VirtualDeviceBackingInfo?; profile VirtualMachineProfileSpec* 5.5
VirtualDeviceConfigSpec: operation VirtualDeviceConfigSpecOperation?; fileOperation
  VirtualDeviceConfigSpecFileOperation?; device VirtualDevice; profile
  VirtualMachineProfileSpec* 5.5; backing VirtualDeviceConfigSpecBackingSpec? 6.5
VirtualMachineConfigSpec: changeVersion string?; name string?; version string?; createDate
  dateTime? 6.7; uuid string?; instanceUuid string?; npivNodeWorldWideName long*;
  npivPortWorldWideName long*; npivWorldWideNameType string?; npivDesiredNodeWwns short?;
  npivDesiredPortWwns short?; npivTemporaryDisabled boolean?; npivOnNonRdmDisks boolean?;
  npivWorldWideNameOp string?; locationId string?; guestId string?; alternateGuestName string?;
  annotation string?; files VirtualMachineFileInfo?; tools ToolsConfigInfo?; flags
  VirtualMachineFlagInfo?; consolePreferences VirtualMachineConsolePreferences?; powerOpInfo
  VirtualMachineDefaultPowerOpInfo?; numCPUs int?; vcpuConfig VirtualMachineVcpuConfig* 7.0;
  numCoresPerSocket int?; memoryMB long?; memoryHotAddEnabled boolean?; cpuHotAddEnabled
  boolean?; cpuHotRemoveEnabled boolean?; virtualICH7MPresent boolean?; virtualSMCPresent
  boolean?; deviceChange VirtualDeviceConfigSpec*; cpuAllocation ResourceAllocationInfo?;
  memoryAllocation ResourceAllocationInfo?; latencySensitivity LatencySensitivity?; cpuAffinity
  VirtualMachineAffinityInfo?; memoryAffinity VirtualMachineAffinityInfo?; networkShaper
  VirtualMachineNetworkShaperInfo?; cpuFeatureMask VirtualMachineCpuIdInfoSpec*; extraConfig
  OptionValue*; swapPlacement string?; bootOptions VirtualMachineBootOptions?; vAppConfig
  VmConfigSpec?; ftInfo FaultToleranceConfigInfo?; repConfig ReplicationConfigSpec? 6.0;
  vAppConfigRemoved boolean?; vAssertsEnabled boolean?; changeTrackingEnabled boolean?; firmware
  string?; maxMksConnections int?; guestAutoLockEnabled boolean?; managedBy ManagedByInfo?;
  memoryReservationLockedToMax boolean?; nestedHVEnabled boolean?; vPMCEnabled boolean?;
  scheduledHardwareUpgradeInfo ScheduledHardwareUpgradeInfo?; vmProfile
  VirtualMachineProfileSpec* 5.5; messageBusTunnelEnabled boolean? 6.0; crypto CryptoSpec? 6.5;
  migrateEncryption string? 6.5; sgxInfo VirtualMachineSgxInfo? 7.0; guestMonitoringModeInfo
  VirtualMachineGuestMonitoringModeInfo? 7.0
EventFilterSpec: entity EventFilterSpecByEntity?; time EventFilterSpecByTime?; userName
  EventFilterSpecByUsername?; eventChainId int?; alarm @Alarm?; scheduledTask @ScheduledTask?;
  disableFullMessage boolean?; category string*; type TypeName*; tag string*; eventTypeId
  string*; maxCount int? 6.5
EventFilterSpecByEntity: entity @ManagedEntity; recursion EventFilterSpecRecursionOption
EventFilterSpecByTime: beginTime dateTime?; endTime dateTime?
EventFilterSpecByUsername: systemUser boolean; userList string*
TaskFilterSpec: entity TaskFilterSpecByEntity?; time TaskFilterSpecByTime?; userName
  TaskFilterSpecByUsername?; activationId string* 6.0; state TaskInfoState*; alarm @Alarm?;
  scheduledTask @ScheduledTask?; eventChainId int*; tag string*; parentTaskKey string*;
  rootTaskKey string*
TaskFilterSpecByEntity: entity @ManagedEntity; recursion TaskFilterSpecRecursionOption
TaskFilterSpecByTime: timeType TaskFilterSpecTimeOption; beginTime dateTime?; endTime dateTime?
TaskFilterSpecByUsername: systemUser boolean; userList string*
AlarmSpec: name string; systemName string?; description string; enabled boolean; expression
  AlarmExpression; action AlarmAction?; actionFrequency int?; setting AlarmSetting?
AlarmInfo < AlarmSpec: key string; alarm @Alarm; entity @ManagedEntity; lastModifiedTime
  dateTime; lastModifiedUser string; creationEventId int
AlarmSetting: toleranceRange int; reportingFrequency int
AlarmExpression:
AndAlarmExpression < AlarmExpression: expression AlarmExpression*
OrAlarmExpression < AlarmExpression: expression AlarmExpression*
EventAlarmExpression < AlarmExpression: comparisons EventAlarmExpressionComparison*; eventType
  TypeName; eventTypeId string?; objectType TypeName?; status ManagedEntityStatus?
EventAlarmExpressionComparison: attributeName string; operator string; value string
StateAlarmExpression < AlarmExpression: operator StateAlarmOperator; type TypeName; statePath
  PropertyPath; yellow string?; red string?
MetricAlarmExpression < AlarmExpression: operator MetricAlarmOperator; type TypeName; metric
  PerfMetricId; yellow int?; yellowInterval int?; red int?; redInterval int?
PerfMetricId: counterId int; instance string
AlarmAction:
AlarmTriggeringAction < AlarmAction: action Action; transitionSpecs
  AlarmTriggeringActionTransitionSpec*; green2yellow boolean; yellow2red boolean; red2yellow
  boolean; yellow2green boolean
AlarmTriggeringActionTransitionSpec: startState ManagedEntityStatus; finalState
  ManagedEntityStatus; repeats boolean
GroupAlarmAction < AlarmAction: action AlarmAction*
Action:
SendEmailAction < Action: toList string; ccList string; subject string; body string
RunScriptAction < Action: script string
SendSNMPAction < Action:
MethodFault: msg string?; faultCause LocalizedMethodFault?; faultMessage LocalizableMessage*
RuntimeFault < MethodFault:
VimFault < MethodFault:
SecurityError < RuntimeFault:
NoPermission < SecurityError: object @ManagedObject?; privilegeId string?
NotAuthenticated < NoPermission:
InvalidLogin < VimFault:
InvalidState < VimFault:
InvalidPowerState < InvalidState: requestedState VirtualMachinePowerState?; existingState
  VirtualMachinePowerState
VmConfigFault < VimFault:
InvalidVmConfig < VmConfigFault: property PropertyPath?
GenericVmConfigFault < VmConfigFault: reason string
InvalidDeviceSpec < InvalidVmConfig: deviceIndex int
InvalidDeviceOperation < InvalidDeviceSpec: badOp VirtualDeviceConfigSpecOperation?; badFileOp
  VirtualDeviceConfigSpecFileOperation?
InvalidDeviceBacking < InvalidDeviceSpec:
FileFault < VimFault: file string
NoDiskSpace < FileFault: datastore string
InvalidRequest < RuntimeFault:
InvalidType < InvalidRequest: argument PropertyPath?
MethodNotFound < InvalidRequest: receiver @ManagedObject; method string
InvalidArgument < RuntimeFault: invalidProperty PropertyPath?
InvalidProperty < MethodFault: name PropertyPath
InvalidCollectorVersion < MethodFault:
ManagedObjectNotFound < RuntimeFault: obj @ManagedObject
TaskInProgress < VimFault: task @Task
ToolsUnavailable < VimFault:
DuplicateName < VimFault: name string; object @ManagedObject
InvalidName < VimFault: name string; entity @ManagedEntity?
InvalidDatastore < VimFault: datastore @Datastore?; name string?
RequestCanceled < RuntimeFault:
ConcurrentAccess < VimFault:
NotSupported < RuntimeFault:
SystemError < RuntimeFault: reason string
MigrationFault < VimFault:
WipeDiskFault < VimFault:
ShrinkDiskFault < VimFault: diskId int?
InvalidController < InvalidDeviceSpec: controllerKey int
LocalizedMethodFault: fault MethodFault; localizedMessage string?
`;
