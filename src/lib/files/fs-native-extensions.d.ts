/** What is used of a package that comes without types, and may be absent. */

declare module "fs-native-extensions" {
  export function tryLock(
    fd: number,
    offset: number,
    length: number,
    options?: { readonly shared: boolean },
  ): boolean;
}
