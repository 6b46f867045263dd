import { isObject, listOr } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { parseJson, readBody } from '#relay/body/read-body.ts';

/** The task ids in `{"ids": […]}`. Throws a 400 for a body that is no JSON. */
export async function readIds({ deps, request }: HttpContext, userId: number): Promise<string[]> {
  const claim = deps.bodies.claim(userId);
  try {
    const body = parseJson(await readBody(request, { claim, whenLarge: () => undefined }));
    const ids = listOr(isObject(body) ? body['ids'] : undefined);
    return ids.filter((id) => typeof id === 'string' || typeof id === 'number').map(String);
  } finally {
    claim.release();
  }
}
