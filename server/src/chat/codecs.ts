import { AnthropicStreamReader } from './anthropic/anthropic-stream-reader.ts';
import { AnthropicStreamWriter } from './anthropic/anthropic-stream-writer.ts';
import { readAnthropicReply } from './anthropic/read-anthropic-reply.ts';
import { readAnthropicRequest } from './anthropic/read-anthropic-request.ts';
import { anthropicErrorBody, writeAnthropicReply } from './anthropic/write-anthropic-reply.ts';
import {
  type AnthropicWireOptions,
  steerAnthropic,
  writeAnthropicRequest,
} from './anthropic/write-anthropic-request.ts';
import { ofBoundedDepth } from './chat-errors.ts';
import type { Dialect, DialectId, Wire } from './codec.ts';
import * as dropped from './dropped.ts';
import { GeminiStreamReader } from './gemini/gemini-stream-reader.ts';
import { GeminiStreamWriter } from './gemini/gemini-stream-writer.ts';
import { readGeminiReply } from './gemini/read-gemini-reply.ts';
import { readGeminiRequest } from './gemini/read-gemini-request.ts';
import { geminiErrorBody, writeGeminiReply } from './gemini/write-gemini-reply.ts';
import {
  geminiSearches,
  type GeminiWireOptions,
  steerGemini,
  writeGeminiRequest,
} from './gemini/write-gemini-request.ts';
import { OpenAiStreamReader } from './openai/openai-stream-reader.ts';
import { OpenAiStreamWriter } from './openai/openai-stream-writer.ts';
import { readOpenAiReply } from './openai/read-openai-reply.ts';
import { readOpenAiRequest } from './openai/read-openai-request.ts';
import { openAiErrorBody, writeOpenAiReply } from './openai/write-openai-reply.ts';
import {
  openAiSearches,
  type OpenAiWireOptions,
  steerOpenAi,
  writeOpenAiRequest,
} from './openai/write-openai-request.ts';
import { readResponsesReply } from './responses/read-responses-reply.ts';
import { readResponsesRequest } from './responses/read-responses-request.ts';
import { ResponsesStreamReader } from './responses/responses-stream-reader.ts';
import { ResponsesStreamWriter } from './responses/responses-stream-writer.ts';
import { writeResponsesReply } from './responses/write-responses-reply.ts';
import { steerResponses, writeResponsesRequest } from './responses/write-responses-request.ts';
import { claudeCallIds, openAiCallIds, responsesCallIds } from './tool-calls.ts';
import { commonToolName } from './tool-fitting.ts';

export const dialects: Record<DialectId, Dialect> = {
  openai: {
    id: 'openai',
    readRequest: ofBoundedDepth(readOpenAiRequest),
    writeReply: writeOpenAiReply,
    streamWriter: (context) => new OpenAiStreamWriter(context),
    errorBody: openAiErrorBody,
    callIds: openAiCallIds,
    dropped: dropped.openAiRequest,
  },
  responses: {
    id: 'responses',
    readRequest: ofBoundedDepth(readResponsesRequest),
    writeReply: writeResponsesReply,
    streamWriter: (context) => new ResponsesStreamWriter(context),
    errorBody: openAiErrorBody,
    callIds: responsesCallIds,
    dropped: dropped.responsesRequest,
  },
  anthropic: {
    id: 'anthropic',
    readRequest: ofBoundedDepth(readAnthropicRequest),
    writeReply: writeAnthropicReply,
    streamWriter: (context) => new AnthropicStreamWriter(context),
    errorBody: anthropicErrorBody,
    callIds: claudeCallIds,
    dropped: dropped.anthropicRequest,
  },
  gemini: {
    id: 'gemini',
    readRequest: ofBoundedDepth(readGeminiRequest),
    writeReply: writeGeminiReply,
    streamWriter: (context) => new GeminiStreamWriter(context, context.asList ? 'list' : 'sse'),
    errorBody: geminiErrorBody,
    callIds: /^/,
    dropped: dropped.geminiRequest,
  },
};

/** OpenAI fetches pictures only. */
export const openAiWire: Wire<OpenAiWireOptions> = {
  id: 'openai',
  searches: openAiSearches,
  speaks: true,
  toolNames: commonToolName,
  writeRequest: ofBoundedDepth(writeOpenAiRequest),
  steer: steerOpenAi,
  readReply: readOpenAiReply,
  streamReader: (options) => new OpenAiStreamReader(options),
  dropped: dropped.openAiWire,
};

export const responsesWire: Wire = {
  id: 'responses',
  mcp: true,
  searches: () => true,
  forcesSearch: true,
  toolNames: commonToolName,
  writeRequest: ofBoundedDepth(writeResponsesRequest),
  steer: steerResponses,
  readReply: readResponsesReply,
  streamReader: (options) => new ResponsesStreamReader(options),
  dropped: dropped.responsesWire,
};

/** Anthropic fetches pictures and PDFs. */
export const anthropicWire: Wire<AnthropicWireOptions> = {
  id: 'anthropic',
  searches: () => true,
  forcesSearch: true,
  toolNames: /^[a-zA-Z0-9_-]{1,128}$/,
  writeRequest: ofBoundedDepth(writeAnthropicRequest),
  steer: steerAnthropic,
  readReply: readAnthropicReply,
  streamReader: (options) => new AnthropicStreamReader(options),
  dropped: dropped.anthropicWire,
};

/** Gemini takes bytes and files stored at Google. */
export const geminiWire: Wire<GeminiWireOptions> = {
  id: 'gemini',
  searches: geminiSearches,
  speaks: true,
  toolNames: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  writeRequest: ofBoundedDepth(writeGeminiRequest),
  steer: steerGemini,
  readReply: readGeminiReply,
  streamReader: (options) => new GeminiStreamReader(options),
  dropped: dropped.geminiWire,
};
