import { Buffer } from 'node:buffer';
import type { CallGuard, RelayCall, Verdict, VerdictInput } from '#relay/types/call-types.ts';
import { Guard, textsOfJson, withTexts } from '#guard/guard.ts';
import { objectOr } from '#json.ts';
import { guardRefusal } from '#relay/reply/guard-refusal.ts';
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
  const error = guardRefusal(guardOf(call), 'answer');
  const verdict =
    usual?.outcome === 'answered'
      ? usual
      : judgeCut(judged, result, { by: undefined, error, isError: true, startedS: call.startedS });
  return { ...withoutReply(verdict), refusal: error, finishReason: 'content_filter' };
}

const guardOf = ({ guard }: RelayCall) => guard?.answer ?? new Guard([], 'answer');

const withoutReply = ({ reply: _reply, tail: _tail, ...verdict }: Verdict): Verdict => verdict;

/** Masks the answer of a call in one piece, or refuses it. Of a stream, only the copy that is kept. */
export async function guardAnswer(call: RelayCall, finished: { verdict: Verdict }): Promise<void> {
  const { guard, state } = call;
  if (!guard || guard.answers.length === 0) return;
  const { verdict } = finished;
  const { reply, outcome } = verdict;
  if (outcome === 'answered' && reply?.status === 200) {
    guard.answer = new Guard(guard.answers, 'answer');
    reply.body = await maskedReply(guard, guard.answer, reply, call.asList);
    if (guard.answer.refusedBy) finished.verdict = refusedAnswer(call, verdict);
  } else if (outcome === 'answered' && guard.held && guard.answer && !verdict.refusal) {
    const { answer } = guard;
    const whole = await guard.held.finish((texts) => guard.ask(answer, 'answer', texts));
    if (answer.refusedBy) finished.verdict = refusedAnswer(call, verdict);
    else verdict.tail = verdict.tail ? Buffer.concat([whole, verdict.tail]) : whole;
  }
  if (guard.answer) guard.marks.push(...guard.answer.marks);
  if (!state?.reply) return;
  if (guard.answer?.refusedBy) state.reply = undefined;
  else {
    const masked = new Guard(guard.answers, 'answer').repeated(JSON.stringify(state.reply));
    state.reply = objectOr(JSON.parse(withTexts(masked, (_, text) => guard.answer?.replaced.get(text))));
  }
}

const refusedAnswer = (call: RelayCall, verdict: Verdict): Verdict => ({
  ...withoutReply(verdict),
  refusal: guardRefusal(guardOf(call), 'answer'),
  finishReason: 'content_filter',
});

async function maskedReply(
  { ask }: Pick<CallGuard, 'ask'>,
  guard: Guard,
  { body, contentType }: { body: Buffer; contentType: string },
  isList: boolean,
): Promise<Buffer> {
  if (/event-stream/.test(contentType)) {
    const events = new GuardedEvents(guard, isList);
    const passed = [events.push(body), events.end()];
    if (guard.hooks.length > 0) passed.push(await events.finish((texts) => ask(guard, 'answer', texts)));
    return Buffer.concat(passed.filter((bytes) => bytes !== undefined));
  }
  if (!/json|^text\//.test(contentType)) return body;
  const text = body.toString('utf8');
  const isJson = /json/.test(contentType);
  let masked = await (isJson ? guard.json(text) : guard.text(text));
  if (guard.hooks.length > 0 && !guard.refusedBy) {
    const checked = await ask(guard, 'answer', isJson ? textsOfJson(masked) : [masked]);
    masked = isJson ? withTexts(masked, (at) => checked[at]) : (checked[0] ?? masked);
  }
  return masked === text ? body : Buffer.from(masked);
}
