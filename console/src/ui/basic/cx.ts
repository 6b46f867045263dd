/** The class names that apply, in one string. */
export const cx = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');
