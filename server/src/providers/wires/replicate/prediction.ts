import { listOr, objectOr, textOr } from '#json.ts';
import type { ChatFault } from '#chat/chat.ts';

/** Why a prediction has no answer; undefined: it succeeded, or has not ended. */
export function faultOfPrediction(json: unknown): ChatFault | undefined {
  const { status, error } = objectOr(json);
  if (status !== 'failed' && status !== 'canceled' && status !== 'aborted') return undefined;
  const message = textOr(error, '') || (status === 'failed' ? 'the prediction failed' : `the prediction was ${status}`);
  return { code: 'error_in_reply', message };
}

/** The text of a prediction: one string, or its pieces. */
export function outputOf(json: unknown): string {
  const { output } = objectOr(json);
  return typeof output === 'string'
    ? output
    : listOr(output)
        .map((piece) => textOr(piece, ''))
        .join('');
}
