import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { QuotedOrder } from '#providers/task-operation.ts';
import type { BadTaskRequest } from '#providers/video-order.ts';
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
  /** The request is for an image tool. */
  tool?: ToolParts;
  /** The request is for a task. */
  task?: TaskParts;
  /** No model was named; `model` is the default. */
  modelOmitted?: true;
  /** Reserved before the call and charged when no usage is reported; left out: prompt and reply are estimated. */
  assumed?: Usage;
}

/** A request that is not read as a prompt: `more` says what is known of it. */
export const bareRequest = (model: string, more?: Partial<ParsedRequest>): ParsedRequest => ({
  model,
  stream: false,
  wantsUsage: false,
  inputTokens: 0,
  outputLimit: undefined,
  usesTools: false,
  usesImages: false,
  ...more,
});

/** A request of an image tool, as far as it decides about its price. */
export interface ToolParts {
  /** The model that the tool works with; undefined: it has none. */
  model: string | undefined;
  /** Images ordered. */
  images: number;
  /** Units charged per image; `by reply`: the reply's credits decide. */
  rate: 1 | 2 | 'by reply';
}

/** A task, as far as it decides about channel and price. */
export interface TaskParts {
  order: QuotedOrder;
  /** Why a vendor cannot do it; set while channels are compared. */
  unfit?: BadTaskRequest;
}
