/**
 * The path of a request in which a model's name is one part, whatever slashes are in it: clients of the product family
 * send them as they are (`/api/prices/single/org/model`).
 */
export function modelInPath(target: string): string {
  const [, before, name, after] = /^(\/api\/prices\/single\/)([^?]+?)(\/?(?:\?.*)?)$/.exec(target) ?? [];
  return before && name?.includes('/') ? before + name.replaceAll('/', '%2F') + after : target;
}
