import { Buffer } from 'node:buffer';
import type { VerdictInput, RelayCall, Verdict } from '#relay/types/call-types.ts';
import { Guard } from '#guard/guard.ts';
import { objectOr } from '#json.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { GuardedEvents } from './guarded-events.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { judgeCut } from '#relay/outcome/judge-cut.ts';

/** The verdict on a stream that a rule has refused: what came is charged, and the caller gets an error. */
export function judgeRefused(
  call: RelayCall,
  judged: Pick<VerdictInput, 'request'>,
  result: AttemptResult,
  usual: Verdict | undefined,
): Verdict {
  const error = answerRefused(call);
  const verdict =
    usual?.outcome === 'answered'
      ? usual
      : judgeCut(judged, result, { by: undefined, error, isError: true, startedS: call.startedS });
  return { ...withoutReply(verdict), refusal: error, finishReason: 'content_filter' };
}

function answerRefused({ guard }: Pick<RelayCall, 'guard'>): RelayError {
  const name = guard?.answer?.refusedBy?.name ?? '';
  return new RelayError(400, `The answer holds what the rule '${name}' of this server forbids.`, {
    type: 'invalid_request_error',
    code: 'guard_refused',
  });
}

const withoutReply = ({ reply: _reply, tail: _tail, ...verdict }: Verdict): Verdict => verdict;

/** Masks the answer of a call in one piece, or refuses it. Of a stream, only the copy that is kept. */
export async function guardAnswer(call: RelayCall, finished: { verdict: Verdict }): Promise<void> {
  const { guard, state } = call;
  if (!guard || guard.answers.length === 0) return;
  const { verdict } = finished;
  const { reply, outcome } = verdict;
  if (outcome === 'answered' && reply?.status === 200) {
    guard.answer = new Guard(guard.answers, 'answer');
    reply.body = await maskedReply(guard.answer, reply, call.asList);
    if (guard.answer.refusedBy)
      finished.verdict = { ...withoutReply(verdict), refusal: answerRefused(call), finishReason: 'content_filter' };
  }
  if (guard.answer) guard.marks.push(...guard.answer.marks);
  if (!state?.reply) return;
  if (guard.answer?.refusedBy) state.reply = undefined;
  else state.reply = objectOr(JSON.parse(new Guard(guard.answers, 'answer').repeated(JSON.stringify(state.reply))));
}

async function maskedReply(
  guard: Guard,
  { body, contentType }: { body: Buffer; contentType: string },
  isList: boolean,
): Promise<Buffer> {
  if (/event-stream/.test(contentType)) {
    const events = new GuardedEvents(guard, isList);
    return Buffer.concat([events.push(body), events.end()].filter((bytes) => bytes !== undefined));
  }
  if (!/json|^text\//.test(contentType)) return body;
  const text = body.toString('utf8');
  const masked = /json/.test(contentType) ? await guard.json(text) : await guard.text(text);
  return masked === text ? body : Buffer.from(masked);
}
