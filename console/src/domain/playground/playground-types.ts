/** Dialects in which the playground can send a chat. */
export const dialects = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Dialect = (typeof dialects)[number];

export const modes = ['chat', 'image', 'speech', 'transcription', 'video', 'music'] as const;
export type Mode = (typeof modes)[number];

/** Models side by side. */
export const MOST_MODELS = 4;

export interface Attachment {
  name: string;
  mime: string;
  /** Base64 without a prefix. */
  data: string;
  bytes: number;
}

/** Settings of a conversation. Null and empty values are not sent. */
export interface Settings {
  mode: Mode;
  dialect: Dialect;
  /** One to four, the first is the main one. */
  models: string[];
  system: string;
  temperature: number | null;
  topP: number | null;
  maxTokens: number | null;
  presencePenalty: number | null;
  frequencyPenalty: number | null;
  seed: number | null;
  /** One sequence per line. */
  stop: string;
  effort: string;
  stream: boolean;
  /** JSON list of functions: name, description, parameters. */
  tools: string;
  /** JSON object that is merged into the body last. */
  advanced: string;
  /** Images and videos. */
  size: string;
  count: number | null;
  /** Speech. */
  voice: string;
  /** Length of a video. */
  seconds: number | null;
}

export const defaultSettings: Settings = {
  mode: 'chat',
  dialect: 'chat',
  models: [],
  system: '',
  temperature: null,
  topP: null,
  maxTokens: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: null,
  stop: '',
  effort: '',
  stream: true,
  tools: '',
  advanced: '',
  size: '',
  count: null,
  voice: 'alloy',
  seconds: null,
};

/** A request as it was sent: either the exact text of a JSON body, or the fields of a form. */
export interface SentRequest {
  /** Path of the relay, with its query. */
  path: string;
  body?: string;
  form?: [name: string, value: string | { file: string }][];
}

export interface ToolCall {
  name: string;
  /** JSON, possibly cut. */
  input: string;
}

export interface TokenUsage {
  input: number;
  output: number;
}

/** Why a call has no or no complete answer. */
export interface CallError {
  /** HTTP status; 0: no connection, or an error within a stream. */
  status: number;
  code: string;
  message: string;
  /** Name of the parameter that was refused. */
  param?: string | undefined;
}

/** An async task: it goes on without this page. */
export interface AnswerTask {
  /** Of the task's record; undefined: not known yet. */
  id?: number | undefined;
  /** Percent. */
  progress: number;
}

export type AnswerState = 'running' | 'done' | 'stopped' | 'failed';

export interface ModelAnswer {
  id: string;
  model: string;
  state: AnswerState;
  text: string;
  reasoning: string;
  tools: ToolCall[];
  /** Images, sounds and videos: data URLs, https addresses of a provider, or paths of this server with their kind. */
  media: string[];
  usage?: TokenUsage | undefined;
  error?: CallError | undefined;
  task?: AnswerTask | undefined;
  /** Why the model stopped, as the dialect names it. */
  finish?: string | undefined;
  /** Milliseconds until the first token, and until the end. */
  firstMs?: number | undefined;
  totalMs?: number | undefined;
  requestId?: string | undefined;
  /** Credits charged, from the log. */
  charged?: number | undefined;
  /** Left out if it was too large to keep. */
  sent?: SentRequest | undefined;
}

/** A message of the user and the answers of the models side by side. */
export interface Round {
  id: string;
  text: string;
  files: Attachment[];
  answers: ModelAnswer[];
}

export interface Conversation {
  id: string;
  /** Account that it belongs to. */
  userId: number;
  title: string;
  createdMs: number;
  changedMs: number;
  settings: Settings;
  rounds: Round[];
}
