import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ChatRequest } from '#chat/chat.ts';
import type { Steering } from '#chat/steering.ts';
import type { Form } from '#relay/forms/form.ts';

/** The fields of a caller's request that the relay reads; all other bytes stay untouched in the body. */
export interface ParsedRequest {
  model: string;
  /** Reasoning effort after the `#` of the model's name, and that name as sent; undefined: it has no `#`. */
  steering?: Steering;
  requestedName?: string;
  stream: boolean;
  /** The caller wants the final usage event of a stream. */
  wantsUsage: boolean;
  /** Estimated tokens of the prompt, and how many of them are for images. */
  inputTokens: number;
  imageTokens?: number;
  /** Output limit over all choices; undefined: none given. */
  outputLimit: number | undefined;
  /** Requested number of choices; left out: 1. */
  choices?: number;
  /** Upper bound of an audio file's duration; left out: no audio. */
  maxSeconds?: number;
  usesTools: boolean;
  usesImages: boolean;
  /** The request in the neutral form, for channels with another dialect; left out: not a chat. */
  chat?: () => ChatRequest;
  /** A JSON request that is not a chat, for providers with their own format. */
  json?: Json;
  /** The request in OpenAI's format, for other dialects. Throws `BadChatRequest` for what OpenAI cannot express. */
  toOpenAi?: () => Json;
  form?: Form;
  /** No model was named; `model` is the default. */
  modelOmitted?: true;
  /** Reserved before the call and charged when no usage is reported; left out: prompt and reply are estimated. */
  assumed?: Usage;
}
