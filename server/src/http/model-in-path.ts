/**
 * Encodes the slashes of a model name in a request path, which clients of the product family send unencoded
 * (`/api/prices/single/org/model`).
 */
export function modelInPath(target: string): string {
  const [, before, name, after] = /^(\/api\/prices\/single\/)([^?]+?)(\/?(?:\?.*)?)$/.exec(target) ?? [];
  return before && name?.includes('/') ? before + name.replaceAll('/', '%2F') + after : target;
}
