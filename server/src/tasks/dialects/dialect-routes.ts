import type { AddedRoute } from '#relay/routes/added-routes.ts';

type Answer = NonNullable<AddedRoute['answer']>;
type Method = 'GET' | 'POST' | 'DELETE';

/** A path and what is done with it, by method. */
export interface DialectPath {
  /** Its name in logs and metrics. */
  endpoint: string;
  answers: Partial<Record<Method, Answer>>;
}

/** The route of a path for a method; a method that it does not have becomes a 405. */
export function routeFor({ endpoint, answers }: DialectPath, method: string): AddedRoute {
  const methods = Object.keys(answers).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
  // Node leaves the body out of a response to HEAD.
  const name = method === 'HEAD' ? 'GET' : method;
  const answer = isMethod(name) ? answers[name] : undefined;
  return { endpoint, allow: [...methods, 'OPTIONS'].join(', '), ...(answer && { answer }) };
}

const isMethod = (name: string): name is Method => name === 'GET' || name === 'POST' || name === 'DELETE';

/** A decoded part of a path; undefined for a wrong encoding. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
