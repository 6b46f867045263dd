import { noUsage, type Usage } from '@relay-hub/contract';
import { chargedSpeech } from '#relay/dialects/assumed-usage.ts';
import type { VerdictInput, Verdict } from '#relay/types/call-types.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';

/** The verdict on an attempt without any result. */
export function failedVerdict(code: string, message: string, refusal: RelayError): Verdict {
  return {
    outcome: 'failed',
    usage: noUsage,
    usageSource: 'upstream',
    finishReason: undefined,
    code,
    message,
    refusal,
  };
}

/** Usage of a call of which nothing is known. */
export const assumedUsage = ({ request }: VerdictInput): Usage =>
  request.assumed ? chargedSpeech(request.assumed, undefined) : { ...noUsage, input: request.inputTokens };
