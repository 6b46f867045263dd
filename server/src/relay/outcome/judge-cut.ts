import { noUsage, type Usage } from '@relay-hub/contract';
import type { VerdictInput, Verdict } from '#relay/types/call-types.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';

/** How a stream ends for its caller when nothing is left to pay for the rest. */
export interface CutEnd {
  /** The account or the name of the budget; undefined: a guardrail. */
  by: string | undefined;
  /** The error that ends the stream where it cannot end as if its output limit was reached. */
  error: RelayError;
  /** It ends with the error in any case. */
  isError: boolean;
  /** When the call started, in Unix seconds. */
  startedS: number;
}

/** A stream that a balance or a budget has ended. Its caller is charged for what was passed on. */
export function judgeCut(
  { request }: Pick<VerdictInput, 'request'>,
  { stream, clientGone, endsMidEvent }: Pick<AttemptResult, 'stream' | 'clientGone' | 'endsMidEvent'>,
  { by, error, isError, startedS }: CutEnd,
): Verdict {
  const reported = stream?.usage();
  const usage: Usage = {
    ...(reported ?? { ...noUsage, input: request.inputTokens }),
    output: stream?.estimatedOutput() ?? 0,
    reasoning: 0,
  };
  const verdict: Verdict = {
    outcome: clientGone ? 'client_gone' : 'answered',
    usage,
    usageSource: 'estimate',
    finishReason: 'length',
    code: 'ok',
    message: undefined,
    ...(by !== undefined && { endedBy: by }),
    served: stream?.served?.(),
  };
  const { model, choices = 1, wantsUsage } = request;
  const tail =
    isError || endsMidEvent ? undefined : stream?.cut?.(usage, { model, created: startedS, choices, wantsUsage });
  return tail ? { ...verdict, tail } : { ...verdict, refusal: error, endsMidEvent };
}
