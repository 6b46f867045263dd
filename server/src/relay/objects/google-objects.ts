/** Paths of files and caches that Google keeps for ordinary users. */
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import { keySentIn } from '#relay/admission/authenticate.ts';
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

const answered =
  (prefix: string, answer: Answer): PathAnswer =>
  async (context, parts) => {
    // An upload that was begun is continued without a key.
    if (keySentIn(context.request, 'gemini') === undefined) await admitUpload(context);
    const terms = () => ({
      path: () => googlePath(context),
      dialect: 'gemini' as const,
      ownUploadUrl: ownUploadUrl(context),
    });
    const own = forUsers({ prefix, dialect: 'gemini', terms }, (_, authenticated, [id = '']) =>
      answer(context, { ...authenticated, id }),
    );
    return own(context, parts);
  };

const file = (answer: Answer): PathAnswer => answered(GOOGLE_FILES, answer);
const cache = (answer: Answer): PathAnswer => answered(GOOGLE_CACHES, answer);

export const googleRows: readonly PathRow[] = [
  { path: '/gemini/upload/{version}/files', endpoint: GOOGLE_FILES, answers: { POST: file(upload) } },
  { path: '/gemini/{version}/files', endpoint: GOOGLE_FILES, answers: { GET: file(listFiles) } },
  {
    path: '/gemini/{version}/files/{name}',
    endpoint: GOOGLE_FILES,
    answers: { GET: file(readFile), DELETE: file(removeFile) },
  },
  { path: '/gemini/{version}/files/{name}:download', endpoint: GOOGLE_FILES, answers: { GET: file(downloadFile) } },
  {
    path: '/gemini/{version}/cachedContents',
    endpoint: GOOGLE_CACHES,
    answers: { GET: cache(listCaches), POST: cache(createCache) },
  },
  {
    path: '/gemini/{version}/cachedContents/{name}',
    endpoint: GOOGLE_CACHES,
    answers: { GET: cache(readCache), PATCH: cache(extendCache), DELETE: cache(removeCache) },
  },
];

function upload(context: HttpContext, object: GoogleObject): Promise<void> {
  return queryOf(context).has('upload_id') ? continueUpload(context, object) : startUpload(context, object);
}
