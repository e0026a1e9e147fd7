// Looking into what ssh2 does not declare: nothing is believed of it.

export function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
