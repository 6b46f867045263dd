import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ChatReply, FinishReason, Part } from '../chat.ts';
import type { DialectError, ReplyContext } from '../codec.ts';
import { argumentsObject } from '../tool-calls.ts';
import { cacheRead, wholePrompt } from '../usage-totals.ts';
import { writeSignature } from './gemini-signatures.ts';

/** https://ai.google.dev/api/generate-content */
export function writeGeminiReply({ parts, finish, usage }: ChatReply, context: ReplyContext): Json {
  const candidate = { content: { parts: parts.flatMap(writeParts), role: 'model' }, ...ending(finish), index: 0 };
  return geminiShell(context, { candidates: [candidate], ...(usage && { usageMetadata: writeGeminiUsage(usage) }) });
}

export const geminiShell = ({ model, requestId }: ReplyContext, more: Json): Json => ({
  ...more,
  modelVersion: model,
  responseId: requestId,
});

const reasons: Record<FinishReason, string> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  pause: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
};

export const ending = (finish: FinishReason): Json => ({ finishReason: reasons[finish] });

/** A reply part; other vendors' signatures are wrapped. */
export function writeParts(part: Part): Json[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'thinking':
      return [{ text: part.text, thought: true, ...signed(part.signature) }];
    case 'image':
      return 'base64' in part.source ? [{ inlineData: { mimeType: part.source.mime, data: part.source.base64 } }] : [];
    case 'audio':
      return [{ inlineData: { mimeType: part.mime, data: part.base64 } }];
    case 'tool_call': {
      const args = argumentsObject(part.arguments);
      return [{ functionCall: { id: part.id, name: part.name, args }, ...signed(part.signature) }];
    }
    default:
      return [];
  }
}

const signed = (signature: Parameters<typeof writeSignature>[0] | undefined): Json =>
  signature ? { thoughtSignature: writeSignature(signature) } : {};

/** Google's prompt count includes cached tokens; thoughts are not part of the candidates' count. */
export function writeGeminiUsage(usage: Usage): Json {
  const prompt = wholePrompt(usage);
  const candidates = usage.output + usage.outputAudio + usage.outputImage;
  const cached = cacheRead(usage);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + usage.reasoning,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    promptTokensDetails: modalities({
      TEXT: prompt - usage.inputAudio - usage.inputImage,
      AUDIO: usage.inputAudio,
      IMAGE: usage.inputImage,
    }),
    candidatesTokensDetails: modalities({ TEXT: usage.output, AUDIO: usage.outputAudio, IMAGE: usage.outputImage }),
  };
}

const modalities = (counts: Record<string, number>): Json[] =>
  Object.entries(counts).flatMap(([modality, tokenCount]) => (tokenCount > 0 ? [{ modality, tokenCount }] : []));

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

export const geminiErrorBody = ({ status, message }: DialectError, requestId: string): Json => ({
  error: {
    code: status,
    message: `${message} (request id: ${requestId})`,
    status: statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
  },
});
