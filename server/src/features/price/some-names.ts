const shown = 5;

/** Models for an error text: their number and the first few names. */
export function someNames(models: readonly string[]): { count: number; names: string } {
  const names = models.slice(0, shown).join(', ');
  return { count: models.length, names: models.length > shown ? `${names} …` : names };
}
