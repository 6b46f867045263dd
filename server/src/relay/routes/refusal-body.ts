import type { DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { errorBody } from '#relay/dialects/open-ai.ts';
import type { RelayError } from './relay-error.ts';

/** A refusal in the words of the caller's dialect, with the id that finds it in the logs. */
export function refusalBody(error: RelayError, dialect: DialectId, requestId: string): string {
  if (dialect === 'openai' || dialect === 'responses') return errorBody(error, requestId);
  return JSON.stringify(dialects[dialect].errorBody(error, requestId));
}
