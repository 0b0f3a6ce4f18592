"""From a kernel's source to a loadable image: read, rewritten, compiled.

Here belongs what knows C++. Not what runs the image: that is `engines`'.
"""
