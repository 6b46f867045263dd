import * as z from 'zod/mini';

/** For hidden fields: an invalid value becomes `instead`, since a user could not correct a field they do not see. */
export const validOr = <Out, In>(rule: z.ZodMiniType<Out, In>, instead: Out): z.ZodMiniType<Out, In> =>
  z.transform((value: In) => {
    const parsed = rule.safeParse(value);
    return parsed.success ? parsed.data : instead;
  });
