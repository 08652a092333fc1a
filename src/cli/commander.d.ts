/** What commander is to the compiler: the same, with flags typed by the options declared. */

declare module "commander" {
  export * from "@commander-js/extra-typings";
}
