const shown = 5;

/** Models for an error's text: how many, and the first of them. */
export function someNames(models: readonly string[]): { count: number; names: string } {
  const names = models.slice(0, shown).join(', ');
  return { count: models.length, names: models.length > shown ? `${names} …` : names };
}
