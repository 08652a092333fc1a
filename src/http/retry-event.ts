/** How a read that is about to be repeated is told, whoever sends it. Pure. */

import type { EngineEvent } from "../model/operation/event.ts";
import type { RetryNotice } from "./call.ts";

export function retryEvent(
  notice: RetryNotice,
): Extract<EngineEvent, { readonly kind: "request-retried" }> {
  const { method, path, message, pauseMs, repeat, repeatMax } = notice;
  return {
    kind: "request-retried",
    request: `${method} ${path}`,
    message: `${message}; next try in ${Math.ceil(pauseMs / 1000)} s (${repeat}/${repeatMax})`,
  };
}
