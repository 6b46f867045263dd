const MOST_NAMES = 5;

/** Models for an error text: their number and the first few names. */
export function someNames(models: readonly string[]): { count: number; names: string } {
  const names = models.slice(0, MOST_NAMES).join(', ');
  return { count: models.length, names: models.length > MOST_NAMES ? `${names} …` : names };
}
