import { Buffer } from 'node:buffer';
import { completionTokens, noUsage } from '@relay-hub/contract';
import { contradictsText, withEstimatedOutput } from '#usage/zero-output.ts';
import { imagesTold } from '#relay/call/assumed.ts';
import { withCheckedUsage } from '#relay/call/check-usage.ts';
import { promptBlocked } from './content-filter.ts';
import { isLate, judgeUnanswered, unreachable } from './judge-failure.ts';
import { judgeReply } from './judge-reply.ts';
import { closed, RelayError } from '#relay/routes/relay-error.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import { lastEventEnd } from '#relay/stream/event-ends.ts';
import { withoutWords } from './upstream-refusal.ts';
import { cleaned, refusalForCaller } from './upstream-text.ts';
import { assumedOf, failed, type Judged, type Verdict } from './verdict.ts';

/**
 * Decides what an attempt's end means, and what it is charged for. Its refusal is fit for the caller; its message is the
 * operator's.
 */
export function judge(call: Judged, sent: Sent): Verdict {
  const verdict = withCheckedUsage(call, sent, meaningOf(call, sent));
  if (verdict.refusal) verdict.refusal = refusalForCaller(call.choice, verdict.refusal);
  return verdict;
}

function meaningOf(call: Judged, sent: Sent): Verdict {
  if (sent.stream) return judgeStream(call, sent, sent.stream);
  if (sent.failure?.code === 'client_gone') return leftUnread(call);
  if (sent.failure || sent.status < 200 || sent.status >= 300)
    return judgeUnanswered(call.choice, sent, call.exchange.body);
  return judgeReply(call, sent);
}

function judgeStream(call: Judged, sent: Sent, stream: NonNullable<Sent['stream']>): Verdict {
  const tail = stream.rest();
  const { finishReason } = stream;
  const images = stream.images?.();
  const ended = finishReason !== undefined || stream.endsUnmarked === true;
  const whole =
    stream.error === undefined &&
    stream.empty !== true &&
    images !== 0 &&
    (stream.done || (ended && sent.failure === undefined));
  const brokenOff = sent.failure?.code === 'client_gone';
  // What was abandoned before its first image cannot be known, as with an answer that was not waited for.
  const known = {
    ...usageOfStream(call, stream, whole, brokenOff && images === 0 ? undefined : images),
    images,
    finishReason,
  };
  if (whole || brokenOff)
    return {
      ...known,
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      result: brokenOff ? 'client_gone' : 'ok',
      message: undefined,
      tail: whole && !stream.done ? withEnd(tail, stream, sent) : tail,
    };

  const isEmpty = stream.done || sent.failure === undefined ? stream.empty === true || images === 0 : false;
  const usual = isEmpty ? 'the stream holds no answer' : 'the stream ended before its end';
  const result =
    stream.error !== undefined ? 'error_in_stream' : (sent.failure?.code ?? (isEmpty ? 'bad_reply' : 'stream_broken'));
  const message = cleaned(call.choice, stream.error ?? sent.failure?.message ?? usual);
  const refusal = new RelayError(502, 'upstream_error', 'stream_broken', `The upstream broke off: ${closed(message)}`);
  if (stream.blocked) return promptBlocked(message);
  // Nothing was produced, so nothing is charged.
  if (isEmpty || images === 0 || (stream.estimatedOutput() === 0 && completionTokens(known.usage) === 0))
    return {
      ...failed(result, message, stream.error === undefined && isLate(sent) ? unreachable(sent) : refusal),
      finishReason,
      torn: sent.torn,
      ...(stream.error !== undefined && { refused: withoutWords(call.choice, message) }),
    };
  return { ...known, outcome: 'broken', result, message, refusal, torn: sent.torn };
}

/** Where the mark of a whole stream's end is missing, clients would wait for it, or take the stream for broken. */
function withEnd(tail: Buffer | undefined, { end }: NonNullable<Sent['stream']>, { torn }: Sent): Buffer | undefined {
  if (end === undefined) return tail;
  const isOpen = tail ? lastEventEnd(tail) !== tail.length : torn;
  return Buffer.from((tail?.toString('latin1') ?? '') + (isOpen ? '\n\n' : '') + end, 'latin1');
}

/** What a stream used: as the upstream reported it, as far as that agrees with what came; otherwise an estimate. */
function usageOfStream(
  { request }: Judged,
  stream: NonNullable<Sent['stream']>,
  whole: boolean,
  images: number | undefined,
): Pick<Verdict, 'usage' | 'usageSource' | 'reported'> {
  const told = stream.usage();
  const { assumed, inputTokens } = request;
  if (images !== undefined && assumed)
    return { usage: imagesTold(told, images, assumed), usageSource: told ? 'upstream' : 'estimate' };
  const output = stream.estimatedOutput();
  if (!told) return { usage: assumed ?? { ...noUsage, input: inputTokens, output }, usageSource: 'estimate' };
  if (!assumed && contradictsText(told, output))
    return { usage: withEstimatedOutput(told, inputTokens, output), usageSource: 'estimate', reported: true };
  // What was said after the last telling of a stream that never came to its end is in no telling.
  const untold = whole ? 0 : (stream.untold?.() ?? 0);
  if (untold === 0) return { usage: told, usageSource: 'upstream' };
  return { usage: { ...told, output: told.output + untold }, usageSource: 'estimate', reported: true };
}

/** The caller left and the answer was not waited for: the upstream has read the prompt, and nobody knows what it said. */
function leftUnread(call: Judged): Verdict {
  return {
    outcome: 'client_gone',
    usage: assumedOf(call),
    usageSource: 'estimate',
    finishReason: undefined,
    result: 'client_gone',
    message: undefined,
  };
}
