/** Paths of files and caches that Google keeps for ordinary users. */
import type { HttpContext } from '#relay/types/call-types.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { authenticate, keySentIn } from '#relay/admission/authenticate.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { createCache, extendCache, listCaches, readCache, removeCache } from './google-caches.ts';
import {
  admitUpload,
  continueUpload,
  downloadFile,
  GOOGLE_FILES,
  listFiles,
  ownUploadUrl,
  readFile,
  removeFile,
  startUpload,
} from './google-files.ts';
import { GOOGLE_CACHES, googlePath, type GoogleObject } from './google-path.ts';

type Answer = (context: HttpContext, object: GoogleObject) => Promise<void>;

interface GoogleRoute {
  path: RegExp;
  /** The name in logs and metrics. */
  prefix: string;
  answers: Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Answer>>;
}

const routes: readonly GoogleRoute[] = [
  { path: /^\/gemini\/upload\/v\d[\w.-]*\/files$/, prefix: GOOGLE_FILES, answers: { POST: upload } },
  { path: /^\/gemini\/v\d[\w.-]*\/files$/, prefix: GOOGLE_FILES, answers: { GET: listFiles } },
  {
    path: /^\/gemini\/v\d[\w.-]*\/files\/([\w.-]{1,128})$/,
    prefix: GOOGLE_FILES,
    answers: { GET: readFile, DELETE: removeFile },
  },
  {
    path: /^\/gemini\/v\d[\w.-]*\/files\/([\w.-]{1,128}):download$/,
    prefix: GOOGLE_FILES,
    answers: { GET: downloadFile },
  },
  {
    path: /^\/gemini\/v\d[\w.-]*\/cachedContents$/,
    prefix: GOOGLE_CACHES,
    answers: { GET: listCaches, POST: createCache },
  },
  {
    path: /^\/gemini\/v\d[\w.-]*\/cachedContents\/([\w.-]{1,128})$/,
    prefix: GOOGLE_CACHES,
    answers: { GET: readCache, PATCH: extendCache, DELETE: removeCache },
  },
];

const routeOf = (path: string): GoogleRoute | undefined =>
  path.startsWith('/gemini/') ? routes.find((route) => route.path.test(path)) : undefined;

/** The name of such a path in logs and metrics; undefined: another path. */
export const googleObjectsPrefix = (path: string): string | undefined => routeOf(path)?.prefix;

/** Methods of such a path; undefined: another path. */
export function googleObjectMethods(path: string): string | undefined {
  const route = routeOf(path);
  if (!route) return undefined;
  return [...Object.keys(route.answers).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name)), 'OPTIONS'].join(
    ', ',
  );
}

/** Answers a request for files or caches; undefined: another path or method. Rejects with a `RelayError`. */
export function answerGoogleObject(context: HttpContext, path: string): Promise<void> | undefined {
  const route = routeOf(path);
  const method = context.request.method === 'HEAD' ? 'GET' : context.request.method;
  const answer = route?.answers[method as 'GET']; // other methods have no answer
  return route && answer && answered(context, path, route, answer);
}

async function answered(context: HttpContext, path: string, route: GoogleRoute, answer: Answer): Promise<void> {
  // An upload that was begun is continued without a key.
  if (keySentIn(context.request, 'gemini') === undefined) await admitUpload(context, path);
  const authenticated = await authenticate(context, 'gemini');
  const id = route.path.exec(path)?.[1] ?? '';
  if (authenticated.rawPin === undefined) return answer(context, { ...authenticated, path, id });
  // Administrators who name a channel reach its whole account.
  return passThrough(context, route.prefix, {
    path: () => googlePath(context),
    dialect: 'gemini',
    ownUploadUrl: ownUploadUrl(context),
  });
}

function upload(context: HttpContext, object: GoogleObject): Promise<void> {
  return queryOf(context).has('upload_id') ? continueUpload(context, object) : startUpload(context, object);
}
