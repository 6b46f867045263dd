import { completionTokens, noUsage } from '@relay-hub/contract';
import { isLate, judgeUnanswered, unreachable } from './judge-failure.ts';
import { judgeReply } from './judge-reply.ts';
import { closed, RelayError } from './relay-error.ts';
import type { Sent } from './sent.ts';
import { cleaned, withoutWords } from './upstream-refusal.ts';
import { assumedOf, failed, type Judged, type Verdict } from './verdict.ts';

/** Decides what an attempt's end means. */
export function judge(call: Judged, sent: Sent): Verdict {
  if (sent.stream) return judgeStream(call, sent, sent.stream);
  if (sent.failure?.code === 'client_gone') return leftUnread(call);
  if (sent.failure || sent.status < 200 || sent.status >= 300) return judgeUnanswered(call.choice, sent);
  return judgeReply(call, sent);
}

function judgeStream(call: Judged, sent: Sent, stream: NonNullable<Sent['stream']>): Verdict {
  const tail = stream.rest();
  const told = stream.usage();
  const { finishReason } = stream;
  const ended = finishReason !== undefined || stream.endsUnmarked === true;
  const whole = stream.error === undefined && (stream.done || (ended && sent.failure === undefined));
  const heard = call.request.assumed ?? {
    ...noUsage,
    input: call.request.inputTokens,
    output: stream.estimatedOutput(),
  };
  // What was said after the last telling of a stream that never came to its end is in no telling.
  const untold = whole ? 0 : (stream.untold?.() ?? 0);
  const known = {
    usage: told ? { ...told, output: told.output + untold } : heard,
    usageSource: told && untold === 0 ? 'upstream' : 'estimate',
    finishReason,
  } as const;
  const brokenOff = sent.failure?.code === 'client_gone';
  if (whole || brokenOff)
    return {
      ...known,
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      result: brokenOff ? 'client_gone' : 'ok',
      message: undefined,
      tail,
    };

  const result = stream.error === undefined ? (sent.failure?.code ?? 'stream_broken') : 'error_in_stream';
  const message = cleaned(call.choice, stream.error ?? sent.failure?.message ?? 'the stream ended before its end');
  const refusal = new RelayError(502, 'upstream_error', 'stream_broken', `The upstream broke off: ${closed(message)}`);
  // Nothing was produced, so nothing is charged.
  if (stream.estimatedOutput() === 0 && completionTokens(told ?? noUsage) === 0)
    return {
      ...failed(result, message, stream.error === undefined && isLate(sent) ? unreachable(sent) : refusal),
      finishReason,
      torn: sent.torn,
      ...(stream.error !== undefined && { refused: withoutWords(call.choice, message) }),
    };
  return { ...known, outcome: 'broken', result, message, refusal, torn: sent.torn };
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
