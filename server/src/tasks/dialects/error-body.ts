import type { RelayError } from '#relay/reply/relay-error.ts';

/** The error form of the task dialects of this family. */
export function codedErrorBody(refusal: RelayError, requestId: string): string {
  const code = refusal.code === 'no_available_channel' ? 'provider_not_found' : refusal.code;
  return JSON.stringify({ code, message: `${refusal.message} (request id: ${requestId})`, data: null });
}
