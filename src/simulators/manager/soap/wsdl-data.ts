/**
 * Data object types of vim25 that properties have, as far as they are simulated, in the order of
 * the published schema. The notation is explained in `wsdl.ts`.
 */

export const dataTypes = `
AboutInfo: name string; fullName string; vendor string; version string; build string;
  localeVersion string?; localeBuild string?; osType string; productLineId string; apiType
  string; apiVersion string; instanceUuid string?; licenseProductName string?;
  licenseProductVersion string?
ServiceContent: rootFolder @Folder; propertyCollector @PropertyCollector; viewManager
  @ViewManager?; about AboutInfo; sessionManager @SessionManager?; alarmManager @AlarmManager?;
  eventManager @EventManager?; taskManager @TaskManager?; searchIndex @SearchIndex?
UserSession: key string; userName string; fullName string; loginTime dateTime; lastActiveTime
  dateTime; locale string; messageLocale string; extensionSession boolean; ipAddress string;
  userAgent string; callCount long
HostCapability: vmotionSupported boolean; storageVMotionSupported boolean;
  supportedVmfsMajorVersion int*; nestedHVSupported boolean
HostRuntimeInfo: connectionState HostSystemConnectionState; powerState HostSystemPowerState;
  inMaintenanceMode boolean; bootTime dateTime?
HostListSummary: host @HostSystem?; hardware HostHardwareSummary?; runtime HostRuntimeInfo?;
  config HostConfigSummary; quickStats HostListSummaryQuickStats; overallStatus
  ManagedEntityStatus; rebootRequired boolean
HostHardwareSummary: vendor string; model string; uuid string; memorySize long; cpuModel string;
  cpuMhz int; numCpuPkgs short; numCpuCores short; numCpuThreads short; numNics int; numHBAs int
HostListSummaryQuickStats: overallCpuUsage int?; overallMemoryUsage int?
HostConfigSummary: name string; port int; product AboutInfo?; vmotionEnabled boolean
HostConfigInfo: host @HostSystem; product AboutInfo
DatastoreSummary: datastore @Datastore?; name string; url string; capacity long; freeSpace long;
  uncommitted long?; accessible boolean; multipleHostAccess boolean?; type string;
  maintenanceMode string?
DatastoreInfo: name string; url string; freeSpace long; maxFileSize long; timestamp dateTime?
VmfsDatastoreInfo < DatastoreInfo:
DatastoreHostMount: key @HostSystem; mountInfo HostMountInfo
HostMountInfo: path string?; accessMode string; mounted boolean?; accessible boolean?;
  inaccessibleReason string?
DatastoreCapability: directoryHierarchySupported boolean; rawDiskMappingsSupported boolean;
  perFileThinProvisioningSupported boolean; seSparseSupported boolean? 5.5
VirtualMachineConfigInfo: changeVersion string; modified dateTime; name string; guestFullName
  string; version string; uuid string; instanceUuid string?; template boolean; guestId string;
  annotation string?; files VirtualMachineFileInfo; hardware VirtualHardware; nestedHVEnabled
  boolean?
VirtualHardware: numCPU int; numCoresPerSocket int?; memoryMB int; device VirtualDevice*
VirtualMachineFileInfo: vmPathName string?; snapshotDirectory string?; suspendDirectory string?;
  logDirectory string?
GuestInfo: toolsStatus VirtualMachineToolsStatus?; toolsVersionStatus string?;
  toolsVersionStatus2 string?; toolsRunningStatus string?; guestId string?; guestFullName
  string?; hostName string?; ipAddress string?; guestState string; guestOperationsReady boolean?
VirtualMachineRuntimeInfo: host @HostSystem?; connectionState VirtualMachineConnectionState;
  powerState VirtualMachinePowerState; toolsInstallerMounted boolean; suspendTime dateTime?;
  bootTime dateTime?; numMksConnections int; cleanPowerOff boolean?; consolidationNeeded boolean
VirtualMachineSummary: vm @VirtualMachine?; runtime VirtualMachineRuntimeInfo; guest
  VirtualMachineGuestSummary?; config VirtualMachineConfigSummary; storage
  VirtualMachineStorageSummary?; overallStatus ManagedEntityStatus
VirtualMachineConfigSummary: name string; template boolean; vmPathName string; memorySizeMB
  int?; numCpu int?; numVirtualDisks int?; uuid string?; instanceUuid string?; guestId string?;
  guestFullName string?
VirtualMachineGuestSummary: guestId string?; guestFullName string?; toolsStatus
  VirtualMachineToolsStatus?; toolsVersionStatus2 string?; toolsRunningStatus string?; hostName
  string?; ipAddress string?
VirtualMachineStorageSummary: committed long; uncommitted long; unshared long; timestamp
  dateTime
VirtualMachineCapability: snapshotOperationsSupported boolean; seSparseDiskSupported boolean;
  nestedHVSupported boolean
VirtualMachineSnapshotInfo: currentSnapshot @VirtualMachineSnapshot?; rootSnapshotList
  VirtualMachineSnapshotTree*
VirtualMachineSnapshotTree: snapshot @VirtualMachineSnapshot; vm @VirtualMachine; name string;
  description string; id int; createTime dateTime; state VirtualMachinePowerState; quiesced
  boolean; childSnapshotList VirtualMachineSnapshotTree*
VirtualMachineFileLayoutEx: file VirtualMachineFileLayoutExFileInfo*; disk
  VirtualMachineFileLayoutExDiskLayout*; timestamp dateTime
VirtualMachineFileLayoutExFileInfo: key int; name string; type string; size long; uniqueSize
  long?; backingObjectId string? 6.0; accessible boolean? 6.0
VirtualMachineFileLayoutExDiskLayout: key int; chain VirtualMachineFileLayoutExDiskUnit*
VirtualMachineFileLayoutExDiskUnit: fileKey int*
VirtualMachineWipeResult: diskId int; shrinkableDiskSpace long
TaskInfo: key string; task @Task; description LocalizableMessage?; name MethodName?;
  descriptionId string; entity @ManagedEntity?; entityName string?; locked @ManagedEntity*;
  state TaskInfoState; cancelled boolean; cancelable boolean; error LocalizedMethodFault?; result
  anyType?; progress int?; reason TaskReason; queueTime dateTime; startTime dateTime?;
  completeTime dateTime?; eventChainId int; changeTag string?; parentTaskKey string?;
  rootTaskKey string?; activationId string? 6.0
TaskReason:
TaskReasonUser < TaskReason: userName string
TaskReasonSystem < TaskReason:
LocalizableMessage: key string; arg KeyAnyValue*; message string?
KeyAnyValue: key string; value anyType
AlarmState: key string; entity @ManagedEntity; alarm @Alarm; overallStatus ManagedEntityStatus;
  time dateTime; acknowledged boolean?; acknowledgedByUser string?; acknowledgedTime dateTime?;
  eventKey int? 6.0; disabled boolean? 6.9
CustomFieldValue: key int
CustomFieldDef: key int; name string; type string; managedObjectType TypeName?
Permission: entity @ManagedEntity?; principal string; group boolean; roleId int; propagate boolean
Tag: key string
Event: key int; chainId int; createdTime dateTime; userName string; fullFormattedMessage
  string?; changeTag string?
SessionEvent < Event:
UserLoginSessionEvent < SessionEvent: ipAddress string; userAgent string?; locale string;
  sessionId string
UserLogoutSessionEvent < SessionEvent: ipAddress string?; userAgent string?; callCount long?;
  sessionId string?; loginTime dateTime?
BadUsernameSessionEvent < SessionEvent: ipAddress string
ObjectContent: obj @ManagedObject; propSet DynamicProperty*; missingSet MissingProperty*
MissingProperty: path PropertyPath; fault LocalizedMethodFault
DynamicProperty: name PropertyPath; val anyType
RetrieveResult: token string?; objects ObjectContent*
UpdateSet: version string; filterSet PropertyFilterUpdate*; truncated boolean?
PropertyFilterUpdate: filter @PropertyFilter; objectSet ObjectUpdate*; missingSet MissingObject*
ObjectUpdate: kind ObjectUpdateKind; obj @ManagedObject; changeSet PropertyChange*; missingSet
  MissingProperty*
PropertyChange: name PropertyPath; op PropertyChangeOp; val anyType?
MissingObject: obj @ManagedObject; fault LocalizedMethodFault
Description: label string; summary string
SharesInfo: shares int; level SharesLevel
StorageIOAllocationInfo: limit long?; shares SharesInfo?; reservation int? 5.5
VirtualDevice: key int; deviceInfo Description?; backing VirtualDeviceBackingInfo?; connectable
  VirtualDeviceConnectInfo?; slotInfo VirtualDeviceBusSlotInfo?; controllerKey int?; unitNumber
  int?
VirtualController < VirtualDevice: busNumber int; device int*
VirtualSCSIController < VirtualController: hotAddRemove boolean?; sharedBus VirtualSCSISharing;
  scsiCtlrUnitNumber int?
VirtualLsiLogicController < VirtualSCSIController:
VirtualIDEController < VirtualController:
VirtualDisk < VirtualDevice: capacityInKB long; capacityInBytes long? 5.5; shares SharesInfo?;
  storageIOAllocation StorageIOAllocationInfo?; diskObjectId string? 5.5; iofilter string* 6.0
VirtualCdrom < VirtualDevice:
VirtualDeviceBackingInfo:
VirtualDeviceFileBackingInfo < VirtualDeviceBackingInfo: fileName string; datastore @Datastore?;
  backingObjectId string? 5.5
VirtualDeviceRemoteDeviceBackingInfo < VirtualDeviceBackingInfo: deviceName string;
  useAutoDetect boolean?
VirtualCdromRemotePassthroughBackingInfo < VirtualDeviceRemoteDeviceBackingInfo: exclusive
  boolean
VirtualDeviceConnectInfo: migrateConnect string? 6.7; startConnected boolean; allowGuestControl
  boolean; connected boolean; status string?
VirtualDiskFlatVer2BackingInfo < VirtualDeviceFileBackingInfo: diskMode string; split boolean?;
  writeThrough boolean?; thinProvisioned boolean?; eagerlyScrub boolean?; uuid string?;
  contentId string?; changeId string?; parent VirtualDiskFlatVer2BackingInfo?; deltaDiskFormat
  string?; digestEnabled boolean?; deltaGrainSize int?; deltaDiskFormatVariant string? 6.0;
  sharing string? 6.0
VirtualDiskSeSparseBackingInfo < VirtualDeviceFileBackingInfo: diskMode string; writeThrough
  boolean?; uuid string?; contentId string?; changeId string?; parent
  VirtualDiskSeSparseBackingInfo?; deltaDiskFormat string?; digestEnabled boolean?; grainSize
  int?
`;
