import type { GuardMark } from '@relay-hub/contract';
import type { Guard } from '#guard/guard.ts';
import { RelayError } from './relay-error.ts';

const texts: Record<GuardMark['at'], (rule: string) => string> = {
  request: (rule) =>
    `The request holds what the rule '${rule}' of this server forbids. Remove it and send the request again.`,
  answer: (rule) => `The answer holds what the rule '${rule}' of this server forbids.`,
};

/** The error of a call that a guardrail has refused: 400, or 503 if its service gave no answer. */
export function guardRefusal(
  { refusedBy, isUnchecked }: Pick<Guard, 'refusedBy' | 'isUnchecked'>,
  at: GuardMark['at'],
) {
  const { name = '' } = refusedBy ?? {};
  if (isUnchecked)
    return new RelayError(503, `The rule '${name}' of this server cannot be checked at the moment. Try again soon.`, {
      type: 'server_error',
      code: 'guard_unavailable',
      retryAfter: '5',
    });
  return new RelayError(400, texts[at](name), { type: 'invalid_request_error', code: 'guard_refused' });
}
