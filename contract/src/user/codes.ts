/** The group of the first start, to which new users belong. A console tells its name in the reader's language until somebody renames it. */
export const defaultUserGroup = { symbol: 'default', name: '默认分组' } as const;
