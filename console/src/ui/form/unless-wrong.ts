import * as z from 'zod/mini';

/** A rule for a field that the form does not show now: nobody could mend what is wrong in it, so it holds nothing up. */
export const unlessWrong = <Out, In>(rule: z.ZodMiniType<Out, In>, instead: Out): z.ZodMiniType<Out, In> =>
  z.transform((value: In) => {
    const parsed = rule.safeParse(value);
    return parsed.success ? parsed.data : instead;
  });
