/** The initial group of new users. The console translates its name until it is renamed. */
export const defaultUserGroup = { symbol: 'default', name: '默认分组' } as const;
