/** Where the objects are: `BUCKET/KEY` and `BUCKET/KEY.lock`, of AWS or of another vendor. */

import type { S3StoreSettings } from "../../model/recorded/s3-settings.ts";
import { unusable } from "../document/problems.ts";

type Environment = { readonly [name: string]: string | undefined };

export type S3Place = {
  /** `s3://BUCKET/KEY`, for people. */
  readonly address: string;
  readonly region: string;
  readonly document: string;
  readonly lock: string;
};

export type S3Keys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

export function locationOf({ bucket, key }: S3StoreSettings): string {
  return `s3://${bucket}/${key}`;
}

/** Throws `StoreError`. */
export function placeOf(settings: S3StoreSettings, environment: Environment): S3Place {
  const { bucket, key } = settings;
  const given = (name: string): string | undefined => environment[name] || undefined;
  const endpoint =
    settings.endpoint ?? given("AWS_ENDPOINT_URL_S3") ?? given("AWS_ENDPOINT_URL") ?? undefined;
  const region = settings.region ?? given("AWS_REGION") ?? given("AWS_DEFAULT_REGION");
  if (region === undefined && endpoint === undefined) {
    throw unusable(
      `The region of the bucket ${bucket} is not given.`,
      "Set vmform.state.s3.region or AWS_REGION; for a server other than that of AWS, endpoint.",
    );
  }
  const base = baseOf(settings, endpoint, region ?? "us-east-1");
  const path = key.split("/").map(encoded).join("/");
  return {
    address: locationOf(settings),
    region: region ?? "us-east-1",
    document: `${base}/${path}`,
    lock: `${base}/${path}.lock`,
  };
}

function baseOf(
  { bucket, usePathStyle }: S3StoreSettings,
  endpoint: string | undefined,
  region: string,
): string {
  if (endpoint === undefined) {
    // A bucket with a dot has no certificate of its own name.
    return bucket.includes(".")
      ? `https://s3.${region}.amazonaws.com/${bucket}`
      : `https://${bucket}.s3.${region}.amazonaws.com`;
  }
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw unusable("The endpoint is not an http or https address.", "Correct it.");
  }
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "") {
    throw unusable("In the endpoint stands a login.", "Take it out, and give keys instead.");
  }
  const rest = url.pathname.replace(/\/+$/, "");
  return usePathStyle
    ? `${url.origin}${rest}/${bucket}`
    : `${url.protocol}//${bucket}.${url.host}${rest}`;
}

/** As the signature wants it: everything but unreserved characters. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
