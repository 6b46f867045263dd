import type { HttpContext } from '#relay/types/call-types.ts';
import { sendJson as sendTo } from '#relay/reply/send-json.ts';

/** Sends a JSON reply unless the caller has left. */
export function sendJson({ response, requestId }: HttpContext, value: unknown): void {
  if (!response.destroyed) sendTo(response, requestId, value);
}
