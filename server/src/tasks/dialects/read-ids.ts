import { type Json, listOr, objectOr } from '#json.ts';
import type { BodyKind } from '#relay/body/member-names.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { parseJson, readBody } from '#relay/body/read-body.ts';

/** Members of a body that is read once; empty: no object. Throws a 400 for a body that is no JSON. */
export async function readMembers({ deps, request }: HttpContext, userId: number, kind?: BodyKind): Promise<Json> {
  const claim = deps.bodies.claim(userId);
  try {
    return objectOr(parseJson(await readBody(request, { claim, whenLarge: () => undefined }), kind));
  } finally {
    claim.release();
  }
}

/** The task ids in `{"ids": […]}`. Throws a 400 for a body that is no JSON. */
export async function readIds(context: HttpContext, userId: number): Promise<string[]> {
  const { ids } = await readMembers(context, userId);
  return listOr(ids)
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map(String);
}
