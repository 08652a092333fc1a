/**
 * Where the state is, by the settings first and then by the variables that Terraform reads. On
 * GitLab and Gitea the address says where it is locked, and how.
 */

import type { HttpStoreSettings } from "../../model/recorded/http-settings.ts";
import { unusable } from "../document/problems.ts";
import type { HttpLockPlace, HttpPlace } from "./exchange.ts";

type Environment = { readonly [name: string]: string | undefined };

const gitLab = /\/api\/v4\/projects\/[^/]+\/terraform\/state\/[^/]+\/?$/;
const gitea = /\/api\/packages\/[^/]+\/terraform\/state\/[^/]+\/?$/;

/** For people, also where nothing can be opened. */
export function locationOf(settings: HttpStoreSettings, environment: Environment): string {
  const address = settings.address ?? given(environment, "TF_HTTP_ADDRESS");
  return address !== undefined && URL.canParse(address) ? shown(address) : "no address";
}

/** Throws `StoreError`. */
export function placeOf(settings: HttpStoreSettings, environment: Environment): HttpPlace {
  const url = addressOf("address", settings.address, "TF_HTTP_ADDRESS", environment);
  if (url === undefined) {
    throw unusable(
      "No address of the recorded state is given.",
      "Set vmform.state.http.address, or the environment variable TF_HTTP_ADDRESS.",
    );
  }
  return {
    address: shown(url),
    url,
    updateMethod: settings.updateMethod ?? given(environment, "TF_HTTP_UPDATE_METHOD") ?? "POST",
    lock: lockPlace(settings, environment, url),
    isGitLab: gitLab.test(new URL(url).pathname),
  };
}

function lockPlace(
  settings: HttpStoreSettings,
  environment: Environment,
  address: string,
): HttpLockPlace {
  const { pathname } = new URL(address);
  const isKnown = gitLab.test(pathname) || gitea.test(pathname);
  const usual = isKnown ? below(address, "lock") : address;
  const { lockAddress, unlockAddress, withoutLock } = settings;
  const lock = addressOf("lock_address", lockAddress, "TF_HTTP_LOCK_ADDRESS", environment) ?? usual;
  const unlock =
    addressOf("unlock_address", unlockAddress, "TF_HTTP_UNLOCK_ADDRESS", environment) ?? lock;
  return {
    lock: {
      method:
        settings.lockMethod ??
        given(environment, "TF_HTTP_LOCK_METHOD") ??
        (isKnown ? "POST" : "LOCK"),
      url: lock,
    },
    unlock: {
      method:
        settings.unlockMethod ??
        given(environment, "TF_HTTP_UNLOCK_METHOD") ??
        (isKnown ? "DELETE" : "UNLOCK"),
      url: unlock,
    },
    optional: withoutLock,
  };
}

function below(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${name}`;
  return url.href;
}

/** What is set and empty counts as not set, as with Terraform. */
function given(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === "" ? undefined : value;
}

function addressOf(
  setting: string,
  configured: string | undefined,
  variable: string,
  environment: Environment,
): string | undefined {
  const text = configured ?? given(environment, variable);
  if (text === undefined) return undefined;
  const name = configured === undefined ? variable : `vmform.state.http.${setting}`;
  // Not printed: a user name and a password may stand in it.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw unusable(`${name} is not an http or https address.`, "Correct it.");
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw unusable(
      `In ${name} stands a login.`,
      "Take it out, and give it as TF_HTTP_USERNAME and TF_HTTP_PASSWORD, or as username and " +
        "password: { env: NAME } or { file: PATH } of vmform.state.http.",
    );
  }
  url.hash = "";
  return url.href;
}

/** For people. A token may stand in the query, under whatever name. */
function shown(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  url.hash = "";
  const names = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=…`);
  url.search = "";
  return `${url.href}${names.length === 0 ? "" : `?${names.join("&")}`}`;
}

/** Of a value under a name like that of a token, and under any name. A word is masked nowhere. */
const tokenLengthMin = { named: 8, other: 16 };

/** What of the queries may be a token, which no message and no log is to show. */
export function tokensIn({ url, lock }: HttpPlace): readonly string[] {
  return [url, lock.lock.url, lock.unlock.url].flatMap((text) =>
    [...new URL(text).searchParams]
      .filter(
        ([name, { length }]) =>
          length >= tokenLengthMin.other ||
          (length >= tokenLengthMin.named &&
            /token|key|secret|pass|auth|sig|cred|code/i.test(name)),
      )
      .map(([, value]) => value),
  );
}

export type HttpLogin = { readonly username: string; readonly password: string };

/** Throws `StoreError` for a password that others could read on its way. */
export function requireSafe(
  { url, lock }: HttpPlace,
  { allowUnverified }: HttpStoreSettings,
  isLocal: (hostname: string) => boolean,
): void {
  for (const text of [url, lock.lock.url, lock.unlock.url]) {
    const { protocol, hostname, origin } = new URL(text);
    if (protocol === "https:" || isLocal(hostname) || allowUnverified) continue;
    throw unusable(
      `${origin} is plain http: the password would be readable on its way.`,
      "Use https, or set vmform.state.http.allow_unverified_ssl: true",
    );
  }
}
