import type { MaskedRefusal, Verdict } from '#relay/types/call-types.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { failedVerdict } from './verdict.ts';

/** `code` of a verdict whose prompt the vendor blocked: not retried, and not the channel's fault. */
export const CONTENT_FILTER = 'content_filter';

/** Error codes of vendors' content filters. */
const codes = new Set([
  'content_filter',
  'content_policy_violation',
  'moderation_blocked',
  'content_moderation', // Stability
  'responsibleaipolicyviolation',
  'data_inspection_failed',
  'datainspectionfailed',
  'sensitivecontentdetected',
  '1301', // Zhipu
]);

/** Vendors without such a code: DeepSeek, and OpenRouter's moderation. */
const words = /^content exists risk$|\byour input was flagged\b/i;

/** Whether the vendor's content filter blocked the prompt. */
export const isContentFilter = ({ status, type, code, message }: MaskedRefusal): boolean =>
  status !== 401 &&
  status !== 429 &&
  (codes.has(code?.toLowerCase() ?? '') || codes.has(type?.toLowerCase() ?? '') || words.test(message.trim()));

/** The verdict on a blocked prompt; `message` is masked. */
export const promptBlocked = (message: string, inner?: MaskedRefusal['inner']): Verdict =>
  failedVerdict(
    CONTENT_FILTER,
    message,
    new RelayError(400, message, { type: 'invalid_request_error', code: 'content_filter', ...(inner && { inner }) }),
  );
