/** The first of our codings that a client takes, by its Accept-Encoding; undefined when it takes none of them. */
export function takenCoding<Coding extends string>(
  accepted: string | undefined,
  ours: readonly Coding[],
): Coding | undefined {
  const asked = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))];
    }),
  );
  return ours.find((coding) => asked.get(coding) ?? asked.get('*') ?? false);
}
