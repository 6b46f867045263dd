/** The request target as path and query: HTTP lets a client send an absolute URL, as to a proxy. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}
