"""Public names carry their stage as module."""

from labelwise._publishing import publish


def test_only_named_classes_and_functions_move_and_constants_are_left_alone():
    def public():
        pass

    def private():
        pass

    publish("labelwise.stage", ["public", "LIMIT"], {"public": public, "x": private, "LIMIT": 3})
    assert public.__module__ == "labelwise.stage"
    assert private.__module__ == __name__
