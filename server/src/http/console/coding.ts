/** The first of our content codings that Accept-Encoding allows; undefined if none. */
export function takenCoding<Coding extends string>(
  accepted: string | undefined,
  ours: readonly Coding[],
): Coding | undefined {
  const weights = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))];
    }),
  );
  return ours.find((coding) => weights.get(coding) ?? weights.get('*') ?? false);
}
