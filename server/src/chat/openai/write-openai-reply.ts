import type { Json } from '#json.ts';
import type { ChatReply, ChatRequest, FinishReason, Part, ToolCallPart } from '../chat.ts';
import type { DialectError, ReplyContext } from '../codec.ts';
import { pcmRate, wavOf } from '../sound.ts';
import { dataUrl } from '../sources.ts';
import { customInput } from '../tool-calls.ts';
import { detailsOf, googleExtra } from './openai-reasoning.ts';
import { writeOpenAiUsage } from './write-openai-usage.ts';

/** https://platform.openai.com/docs/api-reference/chat/object */
export function writeOpenAiReply(reply: ChatReply, context: ReplyContext): Json {
  const { request, requestId, model, created } = context;
  return {
    id: completionId(requestId),
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: writeMessage(reply.parts, context),
        logprobs: null,
        finish_reason: finishReason(reply.finish, request),
      },
    ],
    ...(reply.usage && { usage: writeOpenAiUsage(reply.usage) }),
  };
}

export const completionId = (requestId: string): string => `chatcmpl-${requestId}`;

const finishes: Record<FinishReason, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  pause: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
};

export const finishReason = (reason: FinishReason, { legacyFunctions }: ChatRequest): string =>
  legacyFunctions && reason === 'tool_calls' ? 'function_call' : finishes[reason];

/** Whether the caller defined the tool as a custom one, with text input. */
export const isCustom = ({ tools }: ChatRequest, name: string): boolean =>
  tools.some((tool) => tool.custom === true && tool.name === name);

function writeMessage(parts: readonly Part[], context: ReplyContext): Json {
  const { request, markdownImages = false } = context;
  const thinking = joined(parts, 'thinking');
  const refusal = joined(parts, 'refusal');
  const calls = parts.filter((part) => part.type === 'tool_call');
  const details = detailsOf(parts);
  const images = parts
    .flatMap((part) => (part.type === 'image' && 'base64' in part.source ? [part.source] : []))
    .map((image) => dataUrl(image));
  const shown = markdownImages ? images.map((url) => markdownImage(url)) : [];
  const text = [joined(parts, 'text'), ...shown].filter((part) => part !== '').join('\n\n');
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(images.length > 0 && { images: images.map((url, i) => writeImage(url, i)) }),
    ...writeSound(parts, context),
    ...writeCalls(calls, request),
  };
}

/** Seconds for which OpenAI lets a client refer to a spoken answer. Here, the sound is in the reply alone. */
const SOUND_S = 3600;

/** Text and id of a spoken answer, which clients of Chat Completions read. */
export const soundShell = ({ requestId, created }: ReplyContext): Json => ({
  id: `audio_${requestId}`,
  expires_at: created + SOUND_S,
});

function writeSound(parts: readonly Part[], context: ReplyContext): Json {
  const sounds = parts.filter((part) => part.type === 'audio');
  const [first] = sounds;
  if (!first) return {};
  const samples = Buffer.concat(sounds.map(({ base64 }) => Buffer.from(base64, 'base64')));
  const rate = pcmRate(first.mime);
  const isFile = rate !== undefined && context.request.sound?.format !== 'pcm16';
  const data = (isFile ? wavOf(samples, rate) : samples).toString('base64');
  return { audio: { ...soundShell(context), data, transcript: joined(parts, 'text') } };
}

const joined = (parts: readonly Part[], type: 'text' | 'thinking' | 'refusal'): string =>
  parts.map((part) => (part.type === type ? part.text : '')).join('');

/** A picture as text. */
export const markdownImage = (url: string): string => `![image](${url})`;

/** A picture, in the format of OpenRouter and Google. */
export const writeImage = (url: string, index: number): Json => ({ type: 'image_url', image_url: { url }, index });

function writeCalls(calls: readonly ToolCallPart[], request: ChatRequest): Json {
  const [first] = calls;
  if (!first) return {};
  if (request.legacyFunctions) return { function_call: { name: first.name, arguments: first.arguments || '{}' } };
  return { tool_calls: calls.map((call) => writeCall(call, request)) };
}

function writeCall({ id, name, arguments: json, signature }: ToolCallPart, request: ChatRequest): Json {
  if (isCustom(request, name)) return { id, type: 'custom', custom: { name, input: customInput(json) } };
  const extra = signature && googleExtra(signature);
  return { id, type: 'function', function: { name, arguments: json || '{}' }, ...(extra && { extra_content: extra }) };
}

/** OpenAI's clients know one code for missing credits; the text says whose they are. */
export const openAiCode = (code: string): string =>
  code === 'insufficient_user_quota' || code === 'insufficient_token_quota' ? 'insufficient_quota' : code;

export const openAiErrorBody = (
  {
    message,
    type,
    param,
    code,
    inner,
  }: Pick<DialectError, 'message' | 'type' | 'param' | 'code'> & {
    inner?: Readonly<Json> | undefined;
  },
  requestId: string,
): Json => ({
  error: {
    message: `${message} (request id: ${requestId})`,
    type,
    param,
    code: openAiCode(code),
    ...(inner && { innererror: inner }),
  },
});
