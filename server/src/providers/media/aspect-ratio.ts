/** The one of some aspect ratios (`16:9`) nearest to a size in pixels (`1024x768`); undefined: no such size. */
export function nearestRatio(size: string | undefined, ratios: readonly string[]): string | undefined {
  const [width = 0, height = 0] = (size ?? '').split('x').map(Number);
  if (!(width > 0 && height > 0)) return undefined;
  const distance = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log((width / height) * (down / across)));
  };
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}
