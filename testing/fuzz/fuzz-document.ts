import { knownModelsPath } from '@relay-hub/contract';

export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export interface FuzzParameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: JsonSchema;
}

/** One operation of the document. */
export interface FuzzOperation {
  /** Such as `GET /api/token/{id}`. */
  name: string;
  method: string;
  path: string;
  parameters: FuzzParameter[];
  body: JsonSchema | undefined;
  /** Whether it requires a session or an access token. */
  guarded: boolean;
  /** `envelope`; a file; or `bare`, without an envelope. */
  answer: 'envelope' | 'file' | 'bare';
}

interface DocumentOperation {
  parameters?: FuzzParameter[];
  security?: unknown[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content: Record<string, unknown> }>;
}

/** Replies without an envelope. */
const bare = [knownModelsPath, '/api/openapi.json'];

/** The operations of a server's OpenAPI document, and the few that are not in it. */
export async function readDocument(url: string): Promise<FuzzOperation[]> {
  const answer = await fetch(`${url}/api/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, DocumentOperation>> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(method.toUpperCase(), path, operation)),
  );
  const more = bare
    .filter((path) => !described.some((known) => known.path === path))
    .map((path) => operationOf('GET', path, { responses: {} }));
  return [...described, ...more];
}

function operationOf(method: string, path: string, described: DocumentOperation): FuzzOperation {
  const { parameters = [], security = [], requestBody, responses } = described;
  return {
    name: `${method} ${path}`,
    method,
    path,
    parameters,
    body: requestBody?.content['application/json']?.schema,
    guarded: security.length > 0,
    answer: bare.includes(path)
      ? 'bare'
      : responses['200'] && !responses['200'].content['application/json']
        ? 'file'
        : 'envelope',
  };
}
