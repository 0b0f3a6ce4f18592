"""From a kernel's source to a loadable image: read, rewritten, compiled. Imports: execution, native and below."""
