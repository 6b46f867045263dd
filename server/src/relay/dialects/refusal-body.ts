import type { DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { errorBody } from './open-ai.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';

/** The error body in the caller's dialect, with the request id for the logs. */
export function refusalBody(error: RelayError, dialect: DialectId, requestId: string): string {
  if (dialect === 'openai' || dialect === 'responses') return errorBody(error, requestId);
  return JSON.stringify(dialects[dialect].errorBody(error, requestId));
}
